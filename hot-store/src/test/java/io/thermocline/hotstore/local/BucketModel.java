package io.thermocline.hotstore.local;

import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.local.TestStore.Change;
import io.thermocline.hotstore.local.TestStore.Logged;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.flink.types.RowKind;

/** What a bucket should hold: a map and a list. */
final class BucketModel {

    final boolean hasKey;
    final Map<Long, String> rows = new TreeMap<>();
    final List<Logged> changelog = new ArrayList<>();
    final Map<WriterEpoch, Long> sequences = new HashMap<>();
    final Map<UUID, Long> newestEpochs = new HashMap<>();
    final Map<String, AppendResult> results = new HashMap<>();

    BucketModel(boolean hasKey) {
        this.hasKey = hasKey;
    }

    /** The same rows and changelog, and nothing of the writers. */
    BucketModel copy() {
        BucketModel copy = new BucketModel(hasKey);
        copy.rows.putAll(rows);
        copy.changelog.addAll(changelog);
        return copy;
    }

    long end() {
        return changelog.size();
    }

    private void log(RowKind kind, long id, String value) {
        changelog.add(new Logged(changelog.size(), kind, id, value));
    }

    void apply(List<Change> changes) {
        for (Change change : changes) {
            if (!hasKey) {
                log(RowKind.INSERT, change.id(), change.value());
            } else if (change.kind() == RowKind.DELETE) {
                if (rows.containsKey(change.id())) {
                    log(RowKind.DELETE, change.id(), rows.remove(change.id()));
                }
            } else if (change.kind() != RowKind.UPDATE_BEFORE) {
                upsert(change);
            }
        }
    }

    private void upsert(Change change) {
        if (!rows.containsKey(change.id())) {
            log(RowKind.INSERT, change.id(), change.value());
        } else if (!Objects.equals(rows.get(change.id()), change.value())) {
            log(RowKind.UPDATE_BEFORE, change.id(), rows.get(change.id()));
            log(RowKind.UPDATE_AFTER, change.id(), change.value());
        }
        rows.put(change.id(), change.value());
    }
}
