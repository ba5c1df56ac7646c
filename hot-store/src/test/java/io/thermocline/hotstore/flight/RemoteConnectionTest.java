package io.thermocline.hotstore.flight;

import static io.thermocline.hotstore.flight.FlightFixture.PATH;
import static io.thermocline.hotstore.flight.FlightFixture.SPEC;
import static io.thermocline.hotstore.flight.FlightFixture.TABLE_ID;
import static io.thermocline.hotstore.flight.FlightFixture.key;
import static io.thermocline.hotstore.flight.FlightFixture.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.arrow.ArrowMemory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Result;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whom a client connects to, and what it says if that fails. */
@Timeout(300)
class RemoteConnectionTest {

    private static final Duration RETRY = Duration.ofSeconds(20);
    private static final List<String> ALL = SPEC.rowType().getFieldNames();
    private static final int OTHER = FlightProtocol.VERSION + 1;

    @TempDir Path directory;
    private FlightFixture fixture;
    private RemoteHotStore remote;
    private HotTable table;

    @BeforeEach
    void connect() {
        fixture = new FlightFixture(directory.resolve("hot"));
        remote = fixture.connect(RETRY);
        table = remote.openTable(PATH, TABLE_ID);
    }

    @AfterEach
    void disconnect() {
        remote.close();
        fixture.close();
    }

    @Test
    void aWrongTokenIsRefused() {
        assertThatThrownBy(
                        () ->
                                RemoteHotStore.connect(
                                        EndpointSource.of(fixture.endpoint("wrong")),
                                        RemoteOptions.DEFAULT))
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED))
                .hasMessageContaining("endpoint file");
    }

    @Test
    void anotherStoreBehindTheEndpointIsRefused() {
        Endpoint own = fixture.endpoint(FlightFixture.TOKEN);
        Endpoint other =
                new Endpoint(own.host(), own.port(), own.token(), "another-id", 1, own.pid(), null);
        assertThatThrownBy(
                        () ->
                                RemoteHotStore.connect(
                                        EndpointSource.of(other), RemoteOptions.DEFAULT))
                .isInstanceOf(HotStoreException.class)
                .hasMessageContaining("another-id")
                .hasMessageContaining(own.storeId());
    }

    @Test
    void aStoreThatStaysAwayIsReportedWithHostDirectoryAndCause() {
        try (RemoteHotStore impatient = fixture.connect(Duration.ofMillis(300))) {
            HotTable opened = impatient.openTable(PATH, TABLE_ID);
            fixture.stop();
            assertThat(
                            opened.lookup(
                                    new LookupRequest(
                                            new int[] {0}, List.of(key(1, "eu")), false, ALL)))
                    .failsWithin(Duration.ofMinutes(1))
                    .withThrowableThat()
                    .withMessageContaining("STORE_UNREACHABLE")
                    .withMessageContaining("host test, directory " + directory)
                    .withMessageContaining("server.retry-timeout")
                    .withMessageContaining("nothing runs here");
            assertThatThrownBy(() -> opened.offsets(new OffsetQuery.Latest()))
                    .as("SQL clients show the innermost message alone")
                    .hasMessageContaining("STORE_UNREACHABLE")
                    .hasNoCause();
            assertThat(
                            fixture.append(
                                    opened,
                                    0,
                                    UUID.randomUUID(),
                                    0,
                                    row(RowKind.INSERT, 1, "e", "")))
                    .failsWithin(Duration.ofMinutes(1))
                    .withThrowableThat()
                    .withMessageContaining("STORE_UNREACHABLE");
            fixture.start();
        }
    }

    @Test
    void aQuietServerKnowsIt() {
        try (ChangelogReader reader =
                table.readChangelog(scan(0, 0, ChangelogScan.UNBOUNDED, ALL))) {
            assertThat(fixture.server().openCalls()).isEqualTo(1);
            assertThat(fixture.server().quietTime()).isZero();
        }
        await().atMost(Duration.ofMinutes(1))
                .until(() -> fixture.server().quietTime().toMillis() > 10);
    }

    @Test
    void aServerOfAnotherReleaseIsRefusedAtOnceWithTheWayOut() throws Exception {
        try (BufferAllocator allocator = ArrowMemory.newAllocator("other-release");
                FlightServer server =
                        FlightServer.builder(
                                        allocator,
                                        Location.forGrpcInsecure("127.0.0.1", 0),
                                        new OtherRelease())
                                .build()
                                .start()) {
            Endpoint endpoint =
                    new Endpoint("127.0.0.1", server.getPort(), "token", "a-store", 1, 1, null);
            assertThatThrownBy(
                            () ->
                                    RemoteHotStore.connect(
                                            EndpointSource.of(endpoint), RemoteOptions.DEFAULT))
                    .hasMessage(
                            "UNSUPPORTED_FORMAT_VERSION: the server at "
                                    + endpoint
                                    + " speaks protocol version "
                                    + OTHER
                                    + ", this client version "
                                    + FlightProtocol.VERSION
                                    + ": they are of different Thermocline releases. Stop the"
                                    + " server with './thermocline server stop' (its next use"
                                    + " starts one of this release), or use the server's release"
                                    + " here");
        }
    }

    /** Greets as a server with another protocol version does. */
    private static final class OtherRelease extends NoOpFlightProducer {

        @Override
        public void doAction(CallContext context, Action action, StreamListener<Result> listener) {
            listener.onNext(
                    new Result(
                            WireJson.bytes(
                                    WireJson.object()
                                            .put("protocolVersion", OTHER)
                                            .put("storeId", "a-store")
                                            .put("epoch", 1))));
            listener.onCompleted();
        }
    }

    private static ChangelogScan scan(int bucket, long start, long end, List<String> projection) {
        return new ChangelogScan(bucket, start, end, projection, null);
    }
}
