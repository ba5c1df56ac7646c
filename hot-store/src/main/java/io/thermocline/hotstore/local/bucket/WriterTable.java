package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
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
 * The writers of a bucket and the results of their last batches. A writer that was not heard of for
 * long is forgotten when there are too many; it can then not go on. Thread-safe.
 */
final class WriterTable {

    private static final long FIRST_SEQUENCE = 0;

    /** Writers remembered per bucket. */
    static final int MAX_WRITERS = 4096;

    // In order of last use: the eldest is forgotten first.
    private final Map<UUID, Writer> writers = new LinkedHashMap<>(16, 0.75f, true);

    private static final class Writer {
        private long lastSequence;
        private final ArrayDeque<AppendResult> results = new ArrayDeque<>();
        private final ArrayDeque<CompletableFuture<AppendResult>> pending = new ArrayDeque<>();

        private long lastDurableSequence() {
            return lastSequence - pending.size();
        }
    }

    /**
     * Checks a batch before it is applied.
     *
     * @return the result of the batch if it was applied before, else null
     * @throws HotStoreException {@code OUT_OF_SEQUENCE}
     */
    synchronized @Nullable CompletableFuture<AppendResult> find(UUID writerId, long sequence) {
        Writer writer = writers.get(writerId);
        if (writer == null) {
            if (sequence != FIRST_SEQUENCE) {
                // Its first batches were lost with a full disk, or it was forgotten.
                throw outOfSequence(
                        writerId,
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
                    writerId,
                    sequence,
                    "the last one was " + writer.lastSequence + ": batches in between are missing");
        }
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
                writerId,
                sequence,
                "the last one was "
                        + writer.lastSequence
                        + ": it was applied, but results are kept for "
                        + AppendBatch.MAX_UNANSWERED
                        + " batches only. A writer must not have more of them without an answer");
    }

    private static HotStoreException outOfSequence(UUID writerId, long sequence, String why) {
        return new HotStoreException(
                ErrorCode.OUT_OF_SEQUENCE,
                "batch " + sequence + " of writer " + writerId + " was refused; " + why + ".");
    }

    private static <T> T element(ArrayDeque<T> deque, long index) {
        Iterator<T> it = deque.iterator();
        for (long i = 0; i < index; i++) {
            it.next();
        }
        return it.next();
    }

    /** A batch was applied; its future is completed once it is durable. */
    synchronized void pending(
            UUID writerId, long sequence, CompletableFuture<AppendResult> future) {
        Writer writer = writers.computeIfAbsent(writerId, id -> new Writer());
        writer.lastSequence = sequence;
        writer.pending.add(future);
        forgetEldest();
    }

    /** The oldest pending batch of a writer is durable. */
    synchronized void durable(UUID writerId, AppendResult result) {
        Writer writer = writers.get(writerId);
        if (writer == null || writer.pending.isEmpty()) {
            return;
        }
        writer.pending.poll();
        addResult(writer, result);
    }

    /** A batch found in the changelog when the store is opened. */
    synchronized void recovered(UUID writerId, long sequence, AppendResult result) {
        Writer writer = writers.get(writerId);
        if (writer == null) {
            writer = new Writer();
            writers.put(writerId, writer);
        } else if (sequence <= writer.lastSequence) {
            return;
        } else if (sequence != writer.lastSequence + 1) {
            writer.results.clear();
        }
        writer.lastSequence = sequence;
        addResult(writer, result);
        forgetEldest();
    }

    private static void addResult(Writer writer, AppendResult result) {
        writer.results.add(result);
        if (writer.results.size() > AppendBatch.MAX_UNANSWERED) {
            writer.results.poll();
        }
    }

    private void forgetEldest() {
        Iterator<Writer> eldest = writers.values().iterator();
        while (writers.size() > MAX_WRITERS && eldest.hasNext()) {
            if (eldest.next().pending.isEmpty()) {
                eldest.remove();
            }
        }
    }

    /** Forgets what was applied but not made durable. */
    synchronized void dropPending() {
        Iterator<Writer> it = writers.values().iterator();
        while (it.hasNext()) {
            Writer writer = it.next();
            writer.lastSequence = writer.lastDurableSequence();
            writer.pending.clear();
            if (writer.results.isEmpty()) {
                it.remove();
            }
        }
    }

    /** What is durable, for the table's manifest; the writer heard of last comes last. */
    synchronized List<WriterState> durableStates() {
        List<WriterState> states = new ArrayList<>(writers.size());
        writers.forEach(
                (id, writer) -> {
                    if (!writer.results.isEmpty()) {
                        states.add(
                                new WriterState(
                                        id,
                                        writer.lastDurableSequence(),
                                        List.copyOf(writer.results)));
                    }
                });
        return states;
    }

    /** Takes over what a manifest says. */
    synchronized void restore(List<WriterState> states) {
        for (WriterState state : states) {
            Writer writer = new Writer();
            writer.lastSequence = state.lastSequence();
            writer.results.addAll(state.results());
            writers.put(state.writerId(), writer);
        }
    }
}
