package io.thermocline.hotstore.flight;

import static io.thermocline.hotstore.flight.FlightFixture.PATH;
import static io.thermocline.hotstore.flight.FlightFixture.TABLE_ID;
import static io.thermocline.hotstore.flight.FlightFixture.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.testkit.HookedAppends;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The server applies every batch here, and answers none before it is started again. */
@Timeout(60)
class AppendWindowTest {

    private static final int BATCHES = 3 * AppendBatch.MAX_UNANSWERED;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir private Path directory;
    private final UUID writer = UUID.randomUUID();
    private final ConcurrentLinkedQueue<CompletableFuture<AppendResult>> applied =
            new ConcurrentLinkedQueue<>();
    private final CompletableFuture<AppendResult> unanswered = new CompletableFuture<>();
    private final List<CompletableFuture<AppendResult>> answers = new CopyOnWriteArrayList<>();
    private FlightFixture fixture;
    private RemoteHotStore remote;
    private HotTable table;
    private Thread sender;

    @BeforeEach
    void connect() {
        fixture = new FlightFixture(directory.resolve("hot"));
        fixture.stop();
        fixture.start(
                store ->
                        HookedAppends.of(
                                store,
                                (hooked, batch) -> {
                                    applied.add(hooked.append(batch));
                                    return unanswered.copy();
                                }));
        remote = fixture.connect(PATIENCE);
        table = remote.openTable(PATH, TABLE_ID);
        sender =
                new Thread(
                        () -> {
                            for (int i = 0; i < BATCHES; i++) {
                                answers.add(append(writer, 0, i));
                            }
                        });
        sender.start();
        await().atMost(PATIENCE)
                .until(
                        () ->
                                answers.size() >= AppendBatch.MAX_UNANSWERED
                                        && (sender.getState() == Thread.State.WAITING
                                                || !sender.isAlive()));
    }

    @AfterEach
    void disconnect() throws Exception {
        remote.close();
        sender.join();
        letServerGo();
        // The server does not know that the store has not answered yet.
        await().atMost(PATIENCE).until(() -> fixture.server().openCalls() == 0);
        awaitApplied(0);
        fixture.close();
    }

    /** Ends what the server waits for, when nobody is there to be answered any more. */
    private void letServerGo() {
        unanswered.cancel(false);
    }

    /** Ends the server without an answer to anybody. */
    private void stopServer() throws InterruptedException {
        int located = fixture.located();
        Thread stop = new Thread(() -> fixture.stop(Duration.ofMillis(50)));
        stop.start();
        await().atMost(PATIENCE).until(() -> fixture.located() > located);
        letServerGo();
        stop.join();
    }

    private CompletableFuture<AppendResult> append(UUID of, int bucket, long sequence) {
        return fixture.append(table, bucket, of, sequence, row(RowKind.INSERT, sequence, "eu", ""));
    }

    private void awaitApplied(int count) {
        await().atMost(PATIENCE)
                .until(
                        () ->
                                applied.size() >= count
                                        && applied.stream().allMatch(CompletableFuture::isDone));
    }

    @Test
    void batchesWhoseAnswersWereLostAreKnownAfterARestart() throws Exception {
        awaitApplied(answers.size());
        stopServer();
        fixture.start();
        sender.join();
        for (int i = 0; i < BATCHES; i++) {
            assertThat(answers.get(i).get(20, TimeUnit.SECONDS).baseOffset()).isEqualTo(i);
        }
    }

    @Test
    void aWriterWaitsWhileTooManyAreUnansweredAndOthersDoNot() {
        assertThat(answers).hasSize(AppendBatch.MAX_UNANSWERED);
        assertThat(sender.isAlive()).isTrue();

        append(writer, 1, 0);
        append(UUID.randomUUID(), 0, 0);

        awaitApplied(AppendBatch.MAX_UNANSWERED + 2);
        assertThat(applied).hasSize(AppendBatch.MAX_UNANSWERED + 2);
    }

    @Test
    void closingTheTableLetsAWaitingWriterGo() throws Exception {
        table.close();
        sender.join();
        assertThat(answers).hasSize(BATCHES);
        assertThat(answers.get(BATCHES - 1))
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .withMessageContaining("TABLE_CLOSED");
    }
}
