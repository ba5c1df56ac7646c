package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.WriterEpoch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The writers of a bucket: the newest epoch of each, and the results of its last batches. A writer
 * that was not heard of for long is forgotten when there are too many; it can then not go on. What
 * is durable, in its order, decides on that, so that a restart forgets nobody else. Thread-safe.
 */
final class WriterTable {

    private static final long FIRST_SEQUENCE = 0;

    /** Writers remembered per bucket. */
    static final int MAX_WRITERS = 4096;

    // In order of the last durable batches: the eldest is forgotten first.
    private final Map<UUID, Writer> writers = new LinkedHashMap<>();

    // The epoch of whoever was forgotten is not known any more: at most this.
    private long forgottenEpoch = WriterEpoch.UNFENCED;

    // Commit timestamp up to which everything is in what was restored; the batches of that one
    // round may be there in part.
    private long restoredTimestamp = -1;

    private static final class Writer {
        private long epoch;
        private long lastSequence = FIRST_SEQUENCE - 1;
        private final ArrayDeque<AppendResult> results = new ArrayDeque<>();
        private final ArrayDeque<CompletableFuture<AppendResult>> pending = new ArrayDeque<>();
        private int pendingOfEarlierEpochs; // all before those of this one

        private Writer(long epoch) {
            this.epoch = epoch;
        }

        private long lastDurableSequence() {
            return lastSequence - pending.size();
        }

        private boolean isIdle() {
            return pending.isEmpty() && pendingOfEarlierEpochs == 0;
        }

        private void begin(long newEpoch) {
            epoch = newEpoch;
            lastSequence = FIRST_SEQUENCE - 1;
            results.clear();
            pendingOfEarlierEpochs += pending.size();
            pending.clear();
        }

        private void addResult(AppendResult result) {
            results.add(result);
            if (results.size() > AppendBatch.MAX_UNANSWERED) {
                results.poll();
            }
        }
    }

    /**
     * Checks a batch before it is applied.
     *
     * @return the result of the batch if it was applied before, else null
     * @throws HotStoreException {@code FENCED}, {@code OUT_OF_SEQUENCE}
     */
    synchronized @Nullable CompletableFuture<AppendResult> find(WriterEpoch id, long sequence) {
        Writer writer = writers.get(id.writerId());
        checkEpoch(id, sequence, writer);
        if (writer == null || id.epoch() > writer.epoch) {
            if (sequence != FIRST_SEQUENCE) {
                // Its first batches were lost with a full disk, or it was forgotten.
                throw outOfSequence(
                        id,
                        sequence,
                        "no batch of this writer is known here, and the first one has number "
                                + FIRST_SEQUENCE);
            }
            return null;
        }
        if (sequence == writer.lastSequence + 1) {
            return null;
        }
        if (sequence > writer.lastSequence) {
            throw outOfSequence(
                    id,
                    sequence,
                    "the last one was " + writer.lastSequence + ": batches in between are missing");
        }
        return repeated(id, sequence, writer);
    }

    private void checkEpoch(WriterEpoch id, long sequence, @Nullable Writer writer) {
        if (writer == null) {
            if (id.epoch() != WriterEpoch.UNFENCED && id.epoch() <= forgottenEpoch) {
                throw refused(
                        ErrorCode.FENCED,
                        id,
                        sequence,
                        "so many others, up to epoch "
                                + forgottenEpoch
                                + ", have written to this bucket since it began that a newer"
                                + " attempt of its job may be among them. Restart the job if it"
                                + " does not do so by itself");
            }
        } else if (id.epoch() < writer.epoch) {
            throw refused(
                    ErrorCode.FENCED,
                    id,
                    sequence,
                    "a newer attempt of the same job writes to this bucket, in epoch "
                            + writer.epoch
                            + ". That one writes again what this one had not finished");
        }
    }

    private static CompletableFuture<AppendResult> repeated(
            WriterEpoch id, long sequence, Writer writer) {
        long back = writer.lastSequence - sequence;
        if (back < writer.pending.size()) {
            return element(writer.pending, writer.pending.size() - 1 - back);
        }
        long durableBack = writer.lastDurableSequence() - sequence;
        if (durableBack < writer.results.size()) {
            return CompletableFuture.completedFuture(
                    element(writer.results, writer.results.size() - 1 - durableBack));
        }
        throw outOfSequence(
                id,
                sequence,
                "the last one was "
                        + writer.lastSequence
                        + ": it was applied, but results are kept for "
                        + AppendBatch.MAX_UNANSWERED
                        + " batches only. A writer must not have more of them without an answer");
    }

    private static HotStoreException outOfSequence(WriterEpoch id, long sequence, String why) {
        return refused(ErrorCode.OUT_OF_SEQUENCE, id, sequence, why);
    }

    private static HotStoreException refused(
            ErrorCode code, WriterEpoch id, long sequence, String why) {
        return new HotStoreException(
                code, "batch " + sequence + " of writer " + id + " was refused; " + why + ".");
    }

    private static <T> T element(ArrayDeque<T> deque, long index) {
        Iterator<T> it = deque.iterator();
        for (long i = 0; i < index; i++) {
            it.next();
        }
        return it.next();
    }

    /**
     * A batch was applied; its future is completed once it is durable. If it begins an epoch, the
     * ones before are refused from now on.
     */
    synchronized void pending(
            WriterEpoch id, long sequence, CompletableFuture<AppendResult> future) {
        Writer writer = writers.computeIfAbsent(id.writerId(), unknown -> new Writer(id.epoch()));
        if (id.epoch() > writer.epoch) {
            writer.begin(id.epoch());
        }
        writer.lastSequence = sequence;
        writer.pending.add(future);
    }

    /** The oldest pending batch of a writer is durable. */
    synchronized void durable(UUID writerId, AppendResult result) {
        Writer writer = writers.get(writerId);
        if (writer == null || writer.isIdle()) {
            return;
        }
        if (writer.pendingOfEarlierEpochs > 0) {
            writer.pendingOfEarlierEpochs--;
            makeYoungest(writerId, writer);
            return;
        }
        writer.pending.poll();
        writer.addResult(result);
        makeYoungest(writerId, writer);
    }

    /** A batch found in the changelog when the store is opened. */
    synchronized void recovered(WriterEpoch id, long sequence, AppendResult result) {
        if (result.commitTimestamp() < restoredTimestamp) {
            return; // Known, or forgotten since.
        }
        Writer writer = writers.computeIfAbsent(id.writerId(), unknown -> new Writer(id.epoch()));
        if (id.epoch() > writer.epoch) {
            writer.begin(id.epoch());
        } else if (id.epoch() < writer.epoch || sequence <= writer.lastSequence) {
            return;
        }
        if (sequence != writer.lastSequence + 1) {
            writer.results.clear();
        }
        writer.lastSequence = sequence;
        writer.addResult(result);
        makeYoungest(id.writerId(), writer);
    }

    private void makeYoungest(UUID writerId, Writer writer) {
        writers.remove(writerId);
        writers.put(writerId, writer);
        forgetEldest();
    }

    private void forgetEldest() {
        Iterator<Writer> eldest = writers.values().iterator();
        while (writers.size() > MAX_WRITERS && eldest.hasNext()) {
            Writer writer = eldest.next();
            if (writer.isIdle()) {
                forgottenEpoch = Math.max(forgottenEpoch, writer.epoch);
                eldest.remove();
            }
        }
    }

    /** Forgets what was applied but not made durable, but not that an epoch has begun. */
    synchronized void dropPending() {
        Iterator<Writer> it = writers.values().iterator();
        while (it.hasNext()) {
            Writer writer = it.next();
            writer.lastSequence = writer.lastDurableSequence();
            writer.pending.clear();
            writer.pendingOfEarlierEpochs = 0;
            if (writer.results.isEmpty() && writer.epoch == WriterEpoch.UNFENCED) {
                it.remove();
            }
        }
    }

    /** What is durable, for the table's manifest, and which epochs have begun. */
    synchronized WriterStates durableStates() {
        List<WriterState> states = new ArrayList<>(writers.size());
        writers.forEach(
                (id, writer) -> {
                    if (!writer.results.isEmpty() || writer.epoch != WriterEpoch.UNFENCED) {
                        states.add(
                                new WriterState(
                                        new WriterEpoch(id, writer.epoch),
                                        writer.lastDurableSequence(),
                                        List.copyOf(writer.results)));
                    }
                });
        return new WriterStates(forgottenEpoch, states);
    }

    /** Takes over what a manifest says. */
    synchronized void restore(WriterStates states) {
        forgottenEpoch = states.forgottenEpoch();
        for (WriterState state : states.writers()) {
            Writer writer = new Writer(state.writer().epoch());
            writer.lastSequence = state.lastSequence();
            writer.results.addAll(state.results());
            writers.put(state.writer().writerId(), writer);
            for (AppendResult result : state.results()) {
                restoredTimestamp = Math.max(restoredTimestamp, result.commitTimestamp());
            }
        }
    }
}
