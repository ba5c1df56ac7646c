package io.thermocline.e2e.sql;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * The table that a streaming query's changelog adds up to, as a multiset of rows. Filled by a
 * thread of its own until closed.
 */
final class ChangelogView implements AutoCloseable {

    private final CloseableIterator<Row> changes;
    private final Thread reader;
    private final TreeMap<String, Integer> counts = new TreeMap<>();

    private @Nullable Throwable failure;
    private boolean isEnded;

    ChangelogView(CloseableIterator<Row> changes) {
        this.changes = changes;
        this.reader = new Thread(this::read, "changelog-view");
        reader.setDaemon(true);
        reader.start();
    }

    /** Present rows, sorted, each as often as it is there. */
    synchronized List<String> rows() {
        if (failure != null) {
            throw new AssertionError("the streaming query failed", failure);
        }
        List<String> rows = new ArrayList<>();
        counts.forEach((row, count) -> rows.addAll(Collections.nCopies(count, row)));
        return rows;
    }

    /** Whether the query ended by itself, and everything it gave is in {@link #rows()}. */
    synchronized boolean isEnded() {
        rows();
        return isEnded;
    }

    private void read() {
        try {
            while (changes.hasNext()) {
                apply(changes.next());
            }
            end(null);
        } catch (RuntimeException | AssertionError e) {
            end(e);
        }
    }

    private synchronized void end(@Nullable Throwable e) {
        isEnded = true;
        failure = e;
    }

    private synchronized void apply(Row change) {
        String row = RowText.of(change);
        boolean isAdded =
                change.getKind() == RowKind.INSERT || change.getKind() == RowKind.UPDATE_AFTER;
        int count = counts.merge(row, isAdded ? 1 : -1, Integer::sum);
        if (count < 0) {
            throw new AssertionError(
                    "%s of a row that is not there: %s"
                            .formatted(change.getKind().shortString(), row));
        }
        if (count == 0) {
            counts.remove(row);
        }
    }

    @Override
    public void close() throws Exception {
        changes.close();
        reader.join();
    }
}
