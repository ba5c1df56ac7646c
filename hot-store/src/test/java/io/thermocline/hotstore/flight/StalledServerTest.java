package io.thermocline.hotstore.flight;

import static io.thermocline.hotstore.flight.FlightFixture.PATH;
import static io.thermocline.hotstore.flight.FlightFixture.SPEC;
import static io.thermocline.hotstore.flight.FlightFixture.TABLE_ID;
import static io.thermocline.hotstore.flight.FlightFixture.TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatches;
import io.thermocline.hotstore.testkit.HookedAppends;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.types.RowKind;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that takes nothing more must not keep its clients from going. */
@Timeout(300)
class StalledServerTest {

    private static final int BATCH_ROWS = 2000;

    @TempDir private Path directory;
    private final CompletableFuture<Void> over = new CompletableFuture<>();

    @Test
    void aTableIsClosedWhileASenderWaitsForRoom() throws Exception {
        try (FlightFixture fixture = new FlightFixture(directory.resolve("hot"));
                BufferAllocator allocator = ArrowMemory.newAllocator("stalled")) {
            HotStoreFlightServer server =
                    HotStoreFlightServer.start(
                            stalling(fixture.store()),
                            new ServerOptions("127.0.0.1", 0, TOKEN, 1),
                            () -> {});
            Endpoint endpoint =
                    new Endpoint(
                            "127.0.0.1",
                            server.port(),
                            TOKEN,
                            fixture.store().identity().storeId(),
                            fixture.store().identity().epoch(),
                            ProcessHandle.current().pid(),
                            null);
            RemoteHotStore remote =
                    RemoteHotStore.connect(EndpointSource.of(endpoint), RemoteOptions.DEFAULT);
            HotTable table = remote.openTable(PATH, TABLE_ID);
            Queue<CompletableFuture<AppendResult>> answers = new ConcurrentLinkedQueue<>();
            Thread sender =
                    new Thread(
                            () -> {
                                while (!isDone(answers)) {
                                    answers.add(table.append(firstBatch(allocator)));
                                }
                            });
            sender.start();
            AtomicInteger sent = new AtomicInteger();
            // Waiting in turns is how a sender waits for room on the line.
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .during(Duration.ofMillis(500))
                    .until(
                            () ->
                                    sent.getAndSet(answers.size()) == answers.size()
                                            && sender.getState() == Thread.State.TIMED_WAITING);

            table.close();

            sender.join();
            assertThat(answers).isNotEmpty().allSatisfy(answer -> assertThat(answer).isDone());
            assertThatThrownBy(answers.peek()::join).hasMessageContaining("TABLE_CLOSED");
            remote.close();
            over.complete(null);
            server.stop(Duration.ofSeconds(1));
        }
    }

    private static boolean isDone(Queue<CompletableFuture<AppendResult>> answers) {
        return answers.peek() != null && answers.peek().isDone();
    }

    private static AppendBatch firstBatch(BufferAllocator allocator) {
        GenericRowData row = FlightFixture.row(RowKind.INSERT, 1, "eu", "x".repeat(100));
        List<GenericRowData> rows = java.util.Collections.nCopies(BATCH_ROWS, row);
        return new AppendBatch(
                0, UUID.randomUUID(), 0, RowBatches.of(SPEC.rowType(), rows, allocator));
    }

    /** The store, with tables whose appends end when the test does. */
    private HotStore stalling(HotStore store) {
        return HookedAppends.of(
                store,
                (table, batch) -> {
                    batch.rows().close();
                    return over.thenApply(
                            nothing -> {
                                throw new IllegalStateException("the test is over");
                            });
                });
    }
}
