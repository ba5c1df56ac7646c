package io.thermocline.unionread.attach;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.SharedHotStore;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import io.thermocline.hotstore.key.KeyEncoder;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStoreConfig;
import io.thermocline.lake.Attachment;
import io.thermocline.lake.BucketFunction;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.UnionScan;
import io.thermocline.unionread.plan.LeaseHolder;
import io.thermocline.unionread.plan.ReadPlan;
import io.thermocline.unionread.plan.Startup;
import io.thermocline.unionread.plan.Tier;
import io.thermocline.unionread.plan.UnionPlanner;
import io.thermocline.unionread.reader.SpillSettings;
import io.thermocline.unionread.testing.PlanRows;
import io.thermocline.unionread.testing.RunningStream;
import io.thermocline.unionread.testing.TestLakes;
import io.thermocline.unionread.tiering.TieringRound;
import io.thermocline.unionread.verify.Comparison;
import io.thermocline.unionread.verify.TableVerification;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;

/** A table (id BIGINT, v STRING) of a lake, plain at first, with a hot store beside it. */
final class TableUnderTest implements AutoCloseable {

    static final ObjectPath PATH = new ObjectPath("default", "t");
    static final int BUCKETS = 2;

    /** Paimon, and its index places the keys. */
    static final String DYNAMIC = "paimon-dynamic";

    /** How long detaching waits unless a test says otherwise. */
    static final Duration READERS_TIMEOUT = Duration.ofMillis(300);

    private static final List<String> COLUMNS = List.of("id", "v");
    private static final LeaseHolder HOLDER = new LeaseHolder("test", Duration.ofMinutes(1), true);
    private static final Map<String, TableUnderTest> OPEN = new HashMap<>();

    private final String name = UUID.randomUUID().toString();
    private final Path directory;
    private final String lakeName;
    private final LakeCatalog lake;
    private final PlainTable plain;
    private final Map<String, String> hotOptions;
    private Duration readersTimeout = READERS_TIMEOUT;
    private LocalHotStore store;

    /** A table whose key is {@code id}. */
    static TableUnderTest keyed(Path directory, String lake) throws Exception {
        return keyed(directory, lake, Map.of());
    }

    /** A table whose key is {@code id}, with options for its hot tier. */
    static TableUnderTest keyed(Path directory, String lake, Map<String, String> hotOptions)
            throws Exception {
        TableUnderTest table = new TableUnderTest(directory, lake, hotOptions);
        Map<String, String> options = new HashMap<>();
        options.put("bucket", String.valueOf(BUCKETS));
        if (lake.equals(DYNAMIC)) {
            options.put("bucket", "-1");
            options.put("dynamic-bucket.target-row-num", "3");
        } else if (lake.equals("iceberg")) {
            options.put("bucket-key", "id");
            options.put("format-version", "2");
        }
        table.create(options, UniqueConstraint.primaryKey("pk", List.of("id")));
        return table;
    }

    /** A table without a key, which gets two buckets with its hot tier. */
    static TableUnderTest log(Path directory, String lake) throws Exception {
        TableUnderTest table = new TableUnderTest(directory, lake, Map.of("bucket", "2"));
        table.create(lake.equals("iceberg") ? Map.of("format-version", "2") : Map.of(), null);
        return table;
    }

    private TableUnderTest(Path directory, String lake, Map<String, String> hotOptions) {
        this.directory = directory;
        this.lakeName = lake.equals(DYNAMIC) ? "paimon" : lake;
        this.hotOptions = hotOptions;
        Path warehouse = directory.resolve("lake");
        this.lake = TestLakes.open(lakeName, warehouse);
        this.plain = PlainTable.of(lakeName, warehouse, PATH);
        openStore();
        OPEN.put(name, this);
    }

    /** How long {@link #detach} waits for readers. */
    void waitForReaders(Duration limit) {
        readersTimeout = limit;
    }

    private void create(Map<String, String> options, UniqueConstraint key) throws Exception {
        ResolvedSchema schema =
                new ResolvedSchema(
                        List.of(
                                Column.physical("id", DataTypes.BIGINT().notNull()),
                                Column.physical("v", DataTypes.STRING())),
                        List.of(),
                        key,
                        List.of());
        CatalogTable table =
                CatalogTable.newBuilder()
                        .schema(Schema.newBuilder().fromResolvedSchema(schema).build())
                        .options(options)
                        .build();
        lake.flinkCatalog().createTable(PATH, new ResolvedCatalogTable(table, schema), false);
    }

    private void openStore() {
        store =
                LocalHotStore.open(
                        LocalHotStoreConfig.of(directory.resolve("hot"))
                                .withKeyIndexMemoryBytes(16L << 20),
                        path -> hot(lake.table(path).definition()).map(LogicalTable::specOf),
                        this::tier);
    }

    private static Optional<LakeTableDefinition> hot(LakeTableDefinition definition) {
        return definition.tableId().isPresent()
                ? Optional.of(definition)
                : definition.whileAttaching();
    }

    private TieringResult tier(ObjectPath path, String tableId) {
        try (HotTable hot = store.openTable(path, tableId)) {
            return new TieringRound(hot, lake.table(path), directory.resolve("spill")).run();
        }
    }

    /** Runs a round that is killed before or after its commit, or during the absorption. */
    void tierKilled(UnaryOperator<LakeTable> lakeOfRound, UnaryOperator<HotTable> hotOfRound) {
        try (HotTable hot = openHot()) {
            new TieringRound(
                            hotOfRound.apply(hot),
                            lakeOfRound.apply(lake.table(PATH)),
                            directory.resolve("spill"))
                    .run();
        }
    }

    /** Sets an option of the hot tier. */
    void setOption(String key, String value) {
        lake.attachments().move(PATH, attachment(), attachment(), Map.of(key, value));
    }

    /** A stream that begins with the table's state now. */
    RunningStream stream() {
        return new RunningStream(
                logical(),
                UnionScan.of(COLUMNS),
                this::openHot,
                SpillSettings.in(directory.resolve("spill")));
    }

    /** Whether changelog, key index and lake agree. */
    List<Comparison> verify() {
        try (HotTable hot = openHot()) {
            return new TableVerification(logical(), hot).run();
        }
    }

    private LogicalTable logical() {
        LakeTable lakeTable = lake.table(PATH);
        return new LogicalTable(
                LogicalTable.specOf(lakeTable.definition()), lakeTable, new Provider(name));
    }

    void restartStore() {
        store.close();
        openStore();
    }

    LocalHotStore store() {
        return store;
    }

    LakeCatalog lake() {
        return lake;
    }

    Attachment attachment() {
        return lake.table(PATH).definition().attachment();
    }

    boolean isHot() {
        return lake.table(PATH).definition().tableId().isPresent();
    }

    void attach(Consumer<AttachStep> listener) {
        statement(listener).attach(PATH, hotOptions);
    }

    void detach(Consumer<AttachStep> listener) {
        statement(listener).detach(PATH);
    }

    private TableAttachment statement(Consumer<AttachStep> listener) {
        return new TableAttachment(lake, new Provider(name), readersTimeout, listener);
    }

    HotTable openHot() {
        return store.openTable(PATH, lake.table(PATH).definition().tableId().orElseThrow());
    }

    void writePlain(RowData... rows) {
        plain.write(List.of(rows));
    }

    /** Writes rows of a program that commits them later. */
    Runnable preparePlain(RowData... rows) {
        return plain.prepare(List.of(rows));
    }

    boolean isOnPaimon() {
        return lakeName.equals("paimon");
    }

    /** Compacts a Paimon table, as its own jobs do. */
    void compactPaimon() {
        PlainTable.compactPaimon(directory.resolve("lake"), PATH);
    }

    /** Appends rows to an Iceberg table, whatever keys they have. */
    void appendPlain(RowData... rows) {
        PlainTable.ofAppends(directory.resolve("lake"), PATH).write(List.of(rows));
    }

    /** Rolls the lake table back, as its administrator does. */
    void rollBackPlain(long snapshotId) {
        PlainTable.rollBack(lakeName, directory.resolve("lake"), PATH, snapshotId);
    }

    /** Writes rows through the hot tier, and waits until they can be read. */
    void writeHot(RowData... rows) {
        LakeTable table = lake.table(PATH);
        boolean keyed = !table.definition().primaryKey().isEmpty();
        BucketFunction function = keyed ? table.bucketFunction() : null;
        Map<Integer, RowBatchBuilder> builders = new TreeMap<>();
        try (HotTable hot = openHot()) {
            for (RowData row : rows) {
                int bucket =
                        keyed
                                ? function.bucket(GenericRowData.of(row.getLong(0)))
                                : (int) (row.getLong(0) % BUCKETS);
                builders.computeIfAbsent(
                                bucket,
                                b -> new RowBatchBuilder(hot.spec().rowType(), ArrowMemory.root()))
                        .append(row);
            }
            UUID writer = UUID.randomUUID();
            builders.forEach(
                    (bucket, builder) ->
                            hot.append(new AppendBatch(bucket, writer, 0, builder.finish()))
                                    .join());
        }
    }

    TieringResult tier() {
        return tier(PATH, lake.table(PATH).definition().tableId().orElseThrow());
    }

    static RowData row(long id, String value) {
        return GenericRowData.of(id, StringData.fromString(value));
    }

    static RowData delete(long id) {
        return GenericRowData.ofKind(RowKind.DELETE, id, null);
    }

    /** Rows as readers see them now, as {@code id=v}, sorted; lookups must agree. */
    List<String> rows() {
        List<String> rows = isHot() ? unionRows(new Startup.Full()) : lakeRows();
        rows.sort(null);
        return rows;
    }

    /** Rows of a log table that has a hot tier, from a point in time on. */
    List<String> rowsSince(long millis) {
        List<String> rows = unionRows(new Startup.Timestamp(millis));
        rows.sort(null);
        return rows;
    }

    /** Rows of a log table that the changelog has, sorted. */
    List<String> changelogRows() {
        List<String> rows = unionRows(new Startup.Earliest());
        rows.sort(null);
        return rows;
    }

    private List<String> unionRows(Startup startup) {
        LakeTable lakeTable = lake.table(PATH);
        LogicalTable table = logical();
        List<String> rows = new ArrayList<>();
        try (HotTable hot = openHot()) {
            UnionScan scan = UnionScan.of(COLUMNS);
            ReadPlan plan =
                    new UnionPlanner(table, scan, () -> hot, HOLDER)
                            .planBounded(startup, Tier.UNION);
            new PlanRows(
                            table,
                            scan,
                            hot,
                            SpillSettings.in(directory.resolve("spill")),
                            new Random(0))
                    .forEach(plan, row -> rows.add(text(row)));
            if (plan.lease() != null) {
                plan.lease().release();
            }
            if (!table.spec().primaryKey().isEmpty()) {
                checkLookups(hot, lakeTable.bucketFunction(), rows);
            }
        }
        return rows;
    }

    private static void checkLookups(HotTable hot, BucketFunction buckets, List<String> rows) {
        for (String row : rows) {
            long id = Long.parseLong(row.substring(0, row.indexOf('=')));
            assertThat(lookup(hot, buckets, id)).as("lookup of %d", id).containsExactly(row);
        }
        assertThat(hot.status().stream().mapToLong(bucket -> bucket.keyIndexRows()).sum())
                .isEqualTo(rows.size());
    }

    private static List<String> lookup(HotTable hot, BucketFunction buckets, long id) {
        KeyEncoder encoder = KeyEncoder.forRows(hot.spec(), List.of("id"));
        RowData key = GenericRowData.of(id);
        return hot
                .lookup(
                        new LookupRequest(
                                new int[] {buckets.bucket(key)},
                                List.of(encoder.encode(key)),
                                false,
                                COLUMNS))
                .join()
                .rows()
                .get(0)
                .stream()
                .map(TableUnderTest::text)
                .toList();
    }

    /** Rows of the newest lake snapshot. */
    List<String> lakeRows() {
        LakeTable table = lake.table(PATH);
        List<String> rows = new ArrayList<>();
        Optional<LakeSnapshot> snapshot = table.latestSnapshot();
        if (snapshot.isEmpty()) {
            return rows;
        }
        LakeScan scan = new LakeScan(snapshot.get().snapshotId(), COLUMNS, null);
        for (LakeSplit split : table.planSplits(scan)) {
            try (CloseableIterator<RowData> read = table.read(split, scan)) {
                while (read.hasNext()) {
                    rows.add(text(read.next()));
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        return rows;
    }

    /** Id of the lake's newest snapshot. */
    long newestSnapshot() {
        return lake.table(PATH).latestSnapshot().orElseThrow().snapshotId();
    }

    /** What the hot tier has for a key. */
    List<String> lookup(long id) {
        try (HotTable hot = openHot()) {
            return lookup(hot, lake.table(PATH).bucketFunction(), id);
        }
    }

    static String text(RowData row) {
        return row.getLong(0) + "=" + row.getString(1);
    }

    @Override
    public void close() {
        OPEN.remove(name);
        store.close();
        lake.close();
    }

    private record Provider(String name) implements HotStoreProvider {

        @Override
        public HotStore connect(WhenStopped whenStopped) {
            return new SharedHotStore(OPEN.get(name).store, () -> {});
        }
    }
}
