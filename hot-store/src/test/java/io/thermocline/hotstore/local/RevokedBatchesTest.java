package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.AppendResult;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RevokedBatchesTest {

    private final FaultyFiles files = new FaultyFiles();
    private final Semaphore mayTell = new Semaphore(0);
    private final AtomicInteger revocations = new AtomicInteger();

    @TempDir private Path directory;

    private SteppedBuckets table;

    @BeforeEach
    void open() throws Exception {
        table =
                new SteppedBuckets(
                        directory,
                        files,
                        TestStore.logTable("t", 1, Map.of()),
                        () -> {
                            revocations.incrementAndGet();
                            mayTell.acquireUninterruptibly();
                        });
    }

    @AfterEach
    void close() {
        mayTell.release(10);
        table.close();
    }

    private CompletableFuture<AppendResult> append() {
        CompletableFuture<AppendResult> result = table.append(0, UUID.randomUUID(), 0, 1, "v");
        table.run();
        return result;
    }

    @Test
    void batchesAreNotTakenBeforeTheLastLossWasAnswered() {
        files.fillAfter(10);
        CompletableFuture<AppendResult> lost = append();
        mayTell.release();
        Awaitility.await().until(() -> table.publishTurns() > 0);

        // a drop is lost too before the buckets went back because of the batch
        CompletableFuture<Void> drop = new CompletableFuture<>();
        table.journal().submit(table.buckets().dropEntry(drop));
        Awaitility.await().until(() -> revocations.get() == 2);
        files.heal();
        table.run();
        assertThatThrownBy(lost::join).hasMessageContaining("DISK_FULL");
        CompletableFuture<AppendResult> early = append();

        mayTell.release();
        table.await(drop);
        table.await(early);
        assertThatThrownBy(drop::join).hasMessageContaining("DISK_FULL");
        assertThatThrownBy(early::join).hasMessageContaining("DISK_FULL");
        Awaitility.await()
                .ignoreExceptions()
                .untilAsserted(
                        () -> {
                            CompletableFuture<AppendResult> next = append();
                            table.await(next);
                            assertThat(next.join().baseOffset()).isZero();
                        });
        CompletableFuture<AppendResult> second = append();
        table.await(second);
        assertThat(second.join().baseOffset()).isEqualTo(1);
        assertThat(table.buckets().ends().ends()).containsExactly(2);
    }
}
