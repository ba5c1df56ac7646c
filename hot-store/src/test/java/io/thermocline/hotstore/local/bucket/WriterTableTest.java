package io.thermocline.hotstore.local.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WriterTableTest {

    private static final int KNOWN = AppendBatch.MAX_UNANSWERED;
    private static final int BATCHES = 4 * KNOWN;
    private static final UUID WRITER = UUID.randomUUID();

    private final WriterTable writers = new WriterTable();

    private static AppendResult result(long sequence) {
        return new AppendResult(sequence, sequence + 1, 1000 + sequence);
    }

    private static void apply(WriterTable writers, long from, long to) {
        for (long sequence = from; sequence < to; sequence++) {
            assertThat(writers.find(WRITER, sequence)).isNull();
            writers.pending(WRITER, sequence, new CompletableFuture<>());
        }
    }

    private static void makeDurable(WriterTable writers, long from, long to) {
        for (long sequence = from; sequence < to; sequence++) {
            writers.durable(WRITER, result(sequence));
        }
    }

    private static void assertKnown(WriterTable writers, long end) {
        for (long sequence = Math.max(0, end - KNOWN); sequence < end; sequence++) {
            assertThat(writers.find(WRITER, sequence)).isCompletedWithValue(result(sequence));
        }
        assertThat(writers.find(WRITER, end)).isNull();
    }

    @Test
    void theLastBatchesAreKnownAfterARestartFromAnyManifest() {
        for (int durable = 0; durable < BATCHES; durable += 7) {
            for (int pending : new int[] {0, 1, KNOWN - 1, KNOWN}) {
                WriterTable before = new WriterTable();
                apply(before, 0, durable);
                makeDurable(before, 0, durable);
                apply(before, durable, durable + pending);
                WriterTable after = new WriterTable();
                after.restore(before.durableStates());
                // The journal begins somewhere before the manifest's end, and goes beyond it.
                int end = durable + pending;
                for (int sequence = Math.max(0, durable - 50); sequence < end; sequence++) {
                    after.recovered(WRITER, sequence, result(sequence));
                }
                assertKnown(after, end);
            }
        }
    }

    @Test
    void theLastBatchesAreKnownWhenPendingOnesAreLost() {
        apply(writers, 0, BATCHES);
        makeDurable(writers, 0, BATCHES - KNOWN);
        writers.dropPending();
        assertKnown(writers, BATCHES - KNOWN);
    }

    @Test
    void aBatchThatIsPendingIsAnsweredWithTheFirst() {
        CompletableFuture<AppendResult> first = new CompletableFuture<>();
        writers.pending(WRITER, 0, first);
        assertThat(writers.find(WRITER, 0)).isSameAs(first);
    }

    @Test
    void whatIsOutOfSequenceIsRefused() {
        apply(writers, 0, KNOWN + 1);
        makeDurable(writers, 0, KNOWN + 1);
        assertRefused(0, "the last one was " + KNOWN + ": it was applied, but results are kept");
        assertRefused(KNOWN + 2, "batches in between are missing");
    }

    private void assertRefused(long sequence, String why) {
        assertThatThrownBy(() -> writers.find(WRITER, sequence))
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_SEQUENCE))
                .hasMessageContaining("batch " + sequence + " of writer " + WRITER)
                .hasMessageContaining(why);
    }

    @Test
    void anUnknownWriterBeginsWithItsFirstBatch() {
        assertThat(writers.find(WRITER, 0)).isNull();
        assertRefused(1, "no batch of this writer is known here");
    }
}
