package io.thermocline.hotstore.local.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.WriterEpoch;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class WriterTableTest {

    private static final int KNOWN = AppendBatch.MAX_UNANSWERED;
    private static final int BATCHES = 4 * KNOWN;
    private static final UUID ID = UUID.randomUUID();
    private static final WriterEpoch WRITER = WriterEpoch.unfenced(ID);
    private static final WriterEpoch OLD = new WriterEpoch(ID, 5);
    private static final WriterEpoch NEW = new WriterEpoch(ID, 9);

    private final WriterTable writers = new WriterTable();

    private static AppendResult result(long sequence) {
        return new AppendResult(sequence, sequence + 1, 1000 + sequence);
    }

    private static void apply(WriterTable writers, long from, long to) {
        apply(writers, WRITER, from, to);
    }

    private static void apply(WriterTable writers, WriterEpoch writer, long from, long to) {
        for (long sequence = from; sequence < to; sequence++) {
            assertThat(writers.find(writer, sequence)).isNull();
            writers.pending(writer, sequence, new CompletableFuture<>());
        }
    }

    private static void makeDurable(WriterTable writers, long from, long to) {
        for (long sequence = from; sequence < to; sequence++) {
            writers.durable(ID, result(sequence));
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
        assertRefused(writers, ErrorCode.OUT_OF_SEQUENCE, WRITER, sequence, why);
    }

    private static void assertFenced(WriterTable writers, WriterEpoch writer, long sequence) {
        assertRefused(
                writers,
                ErrorCode.FENCED,
                writer,
                sequence,
                "a newer attempt of the same job writes to this bucket, in epoch 9");
    }

    private static void assertRefused(
            WriterTable writers, ErrorCode code, WriterEpoch writer, long sequence, String why) {
        assertThatThrownBy(() -> writers.find(writer, sequence))
                .isInstanceOfSatisfying(
                        HotStoreException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining("batch " + sequence + " of writer " + writer)
                .hasMessageContaining(why);
    }

    private static WriterTable restored(WriterTable from) {
        WriterTable writers = new WriterTable();
        writers.restore(from.durableStates());
        return writers;
    }

    @Test
    void anUnknownWriterBeginsWithItsFirstBatch() {
        assertThat(writers.find(WRITER, 0)).isNull();
        assertRefused(1, "no batch of this writer is known here");
    }

    @Test
    void anEpochEndsWithTheFirstBatchOfALaterOne() {
        apply(writers, OLD, 0, 3);
        makeDurable(writers, 0, 3);
        assertThat(writers.find(NEW, 0)).isNull();
        assertThat(writers.find(OLD, 3)).isNull();

        apply(writers, NEW, 0, 1);

        assertFenced(writers, OLD, 3);
        assertFenced(writers, OLD, 2);
        assertFenced(writers, new WriterEpoch(ID, 8), 0);
        assertThat(writers.find(NEW, 1)).isNull();
        assertThat(writers.find(new WriterEpoch(UUID.randomUUID(), 1), 0)).isNull();
    }

    @Test
    void anEpochBeginsWithItsFirstBatch() {
        apply(writers, OLD, 0, 3);
        assertRefused(
                writers,
                ErrorCode.OUT_OF_SEQUENCE,
                NEW,
                3,
                "no batch of this writer is known here, and the first one has number 0");
    }

    @Test
    void resultsOfAnEarlierEpochAreNotThoseOfTheLater() {
        apply(writers, OLD, 0, 3);
        apply(writers, NEW, 0, 2);
        CompletableFuture<AppendResult> pending = writers.find(NEW, 0);
        makeDurable(writers, 0, 3);
        assertThat(writers.find(NEW, 0)).isSameAs(pending).isNotDone();

        writers.durable(ID, result(100));
        writers.durable(ID, result(101));

        assertThat(writers.find(NEW, 0)).isCompletedWithValue(result(100));
        assertThat(writers.find(NEW, 1)).isCompletedWithValue(result(101));
        assertThat(writers.find(NEW, 2)).isNull();
    }

    @Test
    void anEpochThatLostItsFirstBatchBeginsAgainAndStillFencesOff() {
        apply(writers, OLD, 0, 2);
        makeDurable(writers, 0, 1);
        apply(writers, NEW, 0, 2);
        writers.dropPending();
        for (WriterTable table : new WriterTable[] {writers, restored(writers)}) {
            assertFenced(table, OLD, 1);
            assertThat(table.find(NEW, 0)).isNull();
            apply(table, NEW, 0, 1);
            table.durable(ID, result(7));
            assertThat(table.find(NEW, 0)).isCompletedWithValue(result(7));
        }
    }

    @Test
    void aFenceIsFoundInTheManifestAndInTheJournal() {
        apply(writers, OLD, 0, 2);
        makeDurable(writers, 0, 2);
        WriterStates before = writers.durableStates();
        apply(writers, NEW, 0, 1);
        writers.durable(ID, result(2));
        assertFenced(restored(writers), OLD, 2);

        WriterTable replayed = new WriterTable();
        replayed.restore(before);
        replayed.recovered(OLD, 1, result(1));
        replayed.recovered(NEW, 0, result(2));
        replayed.recovered(OLD, 2, result(9));
        assertFenced(replayed, OLD, 2);
        assertThat(replayed.find(NEW, 0)).isCompletedWithValue(result(2));
        assertThat(replayed.find(NEW, 1)).isNull();
    }

    @Test
    void aWriterThatMayHaveBeenFencedOffAndForgottenIsRefused() {
        apply(writers, NEW, 0, 1);
        makeDurable(writers, 0, 1);
        for (int i = 0; i < WriterTable.MAX_WRITERS; i++) {
            WriterEpoch other = new WriterEpoch(UUID.randomUUID(), 20 + i);
            apply(writers, other, 0, 1);
            writers.durable(other.writerId(), result(i));
        }
        for (WriterTable table : new WriterTable[] {writers, restored(writers)}) {
            assertRefused(table, ErrorCode.FENCED, OLD, 0, "so many others, up to epoch 9,");
            assertRefused(table, ErrorCode.FENCED, NEW, 1, "so many others, up to epoch 9,");
            assertThat(table.find(new WriterEpoch(ID, 10), 0)).isNull();
            assertThat(table.find(WRITER, 0)).isNull();
        }
    }

    @Test
    void aRestartForgetsNobodyWhoWasKnownBefore() {
        int count = WriterTable.MAX_WRITERS + 100;
        List<Batch> journal = new ArrayList<>();
        WriterStates manifest = null;
        UUID lost = UUID.randomUUID();
        for (int i = 0; i < count; i++) {
            if (i == count - 50) {
                manifest = writers.durableStates();
            }
            write(journal, UUID.randomUUID(), 0);
            if (i == 200) {
                // asked for the answer again, which leaves no trace in the journal
                assertThat(writers.find(journal.get(150).writer(), 0)).isCompleted();
            }
            if (i == 150) {
                // a batch that is lost is no use
                writers.pending(WriterEpoch.unfenced(lost), 0, new CompletableFuture<>());
                writers.dropPending();
            }
            if (i == 300) {
                write(journal, journal.get(2).writer().writerId(), 1);
            }
        }
        Set<UUID> known = known(writers);
        assertThat(known).hasSize(WriterTable.MAX_WRITERS).contains(journal.get(2).id());
        assertThat(known).doesNotContain(journal.get(0).id(), journal.get(1).id());

        for (int from : new int[] {0, 1, count - 400, count - 50}) {
            WriterTable replayed = new WriterTable();
            replayed.restore(manifest);
            journal.subList(from, journal.size())
                    .forEach(
                            batch ->
                                    replayed.recovered(
                                            batch.writer(), batch.sequence(), batch.result()));
            assertThat(known(replayed)).as("journal from %s", from).isEqualTo(known);
            assertThat(replayed.durableStates()).isEqualTo(writers.durableStates());
        }
        WriterTable withoutManifest = new WriterTable();
        journal.forEach(
                batch ->
                        withoutManifest.recovered(
                                batch.writer(), batch.sequence(), batch.result()));
        assertThat(withoutManifest.durableStates()).isEqualTo(writers.durableStates());
    }

    private record Batch(WriterEpoch writer, long sequence, AppendResult result) {

        private UUID id() {
            return writer.writerId();
        }
    }

    private void write(List<Batch> journal, UUID id, long sequence) {
        WriterEpoch writer = WriterEpoch.unfenced(id);
        AppendResult result = result(journal.size());
        journal.add(new Batch(writer, sequence, result));
        apply(writers, writer, sequence, sequence + 1);
        writers.durable(id, result);
    }

    private static Set<UUID> known(WriterTable table) {
        return table.durableStates().writers().stream()
                .map(state -> state.writer().writerId())
                .collect(Collectors.toSet());
    }
}
