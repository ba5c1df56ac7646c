package io.thermocline.hotstore.flight;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatches;
import io.thermocline.hotstore.key.KeyEncoder;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStoreConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/** A local store behind Flight that can be stopped and started again. */
final class FlightFixture implements AutoCloseable {

    static final String TOKEN = "a-token";
    static final ObjectPath PATH = new ObjectPath("db", "orders");
    static final String TABLE_ID = "8f4e2e6c-7a53-4c3a-9a0e-0d4b6f9d2c11";
    static final int BUCKETS = 2;

    static final HotTableSpec SPEC =
            new HotTableSpec(
                    PATH,
                    TABLE_ID,
                    0,
                    new RowType(
                            false,
                            List.of(
                                    field("id", new BigIntType(false)),
                                    field("region", new VarCharType(false, 20)),
                                    field("note", new VarCharType(true, 200)))),
                    List.of("id", "region"),
                    List.of(),
                    List.of("id"),
                    BUCKETS,
                    Map.of());

    private final Path directory;
    private final BufferAllocator allocator = ArrowMemory.newAllocator("flight-test");
    private @Nullable LocalHotStore store;
    private @Nullable HotStoreFlightServer server;
    private volatile @Nullable Endpoint endpoint;
    private volatile int shutdowns;
    private final AtomicInteger located = new AtomicInteger();

    FlightFixture(Path directory) {
        this.directory = directory;
        start();
    }

    private static RowType.RowField field(String name, LogicalType type) {
        return new RowType.RowField(name, type);
    }

    void start() {
        start(UnaryOperator.identity());
    }

    /**
     * @param served what the service speaks to instead of the store
     */
    void start(UnaryOperator<HotStore> served) {
        store =
                LocalHotStore.open(
                        LocalHotStoreConfig.of(directory),
                        path -> path.equals(PATH) ? Optional.of(SPEC) : Optional.empty(),
                        (path, id) ->
                                new TieringResult(
                                        7,
                                        Map.of(0, 0L, 1, 1L),
                                        Map.of(0, 1L, 1, 2L),
                                        3,
                                        2,
                                        900,
                                        40L,
                                        null));
        server =
                HotStoreFlightServer.start(
                        served.apply(store),
                        new ServerOptions("127.0.0.1", 0, TOKEN, 64L << 20),
                        () -> shutdowns++);
        endpoint = endpoint(TOKEN);
    }

    Endpoint endpoint(String token) {
        return new Endpoint(
                "127.0.0.1",
                server.port(),
                token,
                store.identity().storeId(),
                store.identity().epoch(),
                ProcessHandle.current().pid(),
                null);
    }

    void stop() {
        stop(Duration.ofSeconds(5));
    }

    /**
     * @param grace for what waits for its answer
     */
    void stop(Duration grace) {
        endpoint = null;
        server.stop(grace);
        store.close();
    }

    int shutdowns() {
        return shutdowns;
    }

    /** How often clients have asked where the server is: at first, and after each loss. */
    int located() {
        return located.get();
    }

    HotStoreFlightServer server() {
        return server;
    }

    LocalHotStore store() {
        return store;
    }

    RemoteHotStore connect(Duration retryTimeout) {
        return RemoteHotStore.connect(
                new EndpointSource() {
                    @Override
                    public Endpoint locate(@Nullable Endpoint failed, Duration timeout) {
                        located.incrementAndGet();
                        Endpoint present = endpoint;
                        if (present == null) {
                            throw new HotStoreException(
                                    ErrorCode.STORE_UNREACHABLE, "nothing runs here");
                        }
                        return present;
                    }

                    @Override
                    public String describe() {
                        return "host test, directory " + directory;
                    }
                },
                RemoteOptions.DEFAULT.withRetryTimeout(retryTimeout));
    }

    CompletableFuture<AppendResult> append(
            HotTable table, int bucket, UUID writer, long sequence, RowData... rows) {
        return append(table, bucket, WriterEpoch.unfenced(writer), sequence, rows);
    }

    CompletableFuture<AppendResult> append(
            HotTable table, int bucket, WriterEpoch writer, long sequence, RowData... rows) {
        return table.append(
                new AppendBatch(
                        bucket,
                        writer,
                        sequence,
                        RowBatches.of(SPEC.rowType(), List.of(rows), allocator)));
    }

    static GenericRowData row(RowKind kind, long id, String region, @Nullable String note) {
        return GenericRowData.ofKind(
                kind, id, StringData.fromString(region), StringData.fromString(note));
    }

    static byte[] key(long id, String region) {
        return KeyEncoder.forRows(SPEC, List.of("id", "region"))
                .encode(GenericRowData.of(id, StringData.fromString(region)));
    }

    static byte[] prefix(long id) {
        return KeyEncoder.forPrefix(SPEC, List.of("id"), 1).encode(GenericRowData.of(id));
    }

    /** A row as text, for assertions. */
    static String text(RowData row) {
        StringBuilder text = new StringBuilder(row.getRowKind().shortString());
        text.append('[').append(row.getLong(0)).append(", ").append(row.getString(1)).append(", ");
        return text.append(row.isNullAt(2) ? "null" : row.getString(2)).append(']').toString();
    }

    static List<List<String>> texts(List<List<RowData>> rows) {
        List<List<String>> texts = new ArrayList<>();
        rows.forEach(found -> texts.add(found.stream().map(FlightFixture::text).toList()));
        return texts;
    }

    /** Fails if a client has kept buffers. */
    @Override
    public void close() {
        stop();
        allocator.close();
    }
}
