package io.thermocline.unionread.tiering;

import io.thermocline.hotstore.AbsorbedBatch;
import io.thermocline.hotstore.Absorption;
import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LakeMark;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.key.KeyEncoder;
import io.thermocline.lake.LakeDifference;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeWriter;
import io.thermocline.lake.TieredState.BucketPosition;
import io.thermocline.unionread.reader.RangeReader;
import io.thermocline.unionread.reader.SpillSettings;
import io.thermocline.unionread.reader.SpillableKeySet;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.types.RowKind;

/**
 * Takes what others have changed in the lake table of a primary-key table over into the hot tier:
 * of every key in which two snapshots differ, the row of the newer one. A key that the hot tier has
 * changed and not tiered yet stays as it is. Doing it twice changes nothing. Confined to one
 * thread.
 */
final class ChangedKeys {

    private static final RowData NO_COLUMNS = new GenericRowData(0);

    private final HotTable hot;
    private final HotTableSpec spec;
    private final LakeTable lake;
    private final SpillSettings spill;
    private final RowPlacement placement;
    private final KeyEncoder keys;

    ChangedKeys(HotTable hot, LakeTable lake, Path temporaryDirectory) {
        this.hot = hot;
        this.spec = hot.spec();
        this.lake = lake;
        this.spill = SpillSettings.in(temporaryDirectory);
        this.placement = new RowPlacement(spec, lake);
        this.keys = KeyEncoder.forRows(spec, spec.rowType().getFieldNames());
    }

    /**
     * Takes the changes over.
     *
     * @param tiered newest snapshot of tiering, which the hot tier agrees with, except for what an
     *     absorption that was cut off has taken over already
     * @param newest snapshot with the changes of others
     * @param mark of the records
     */
    void absorb(LakeSnapshot tiered, LakeSnapshot newest, LakeMark mark) {
        LakeDifference difference = lake.difference(tiered.snapshotId(), newest.snapshotId());
        Map<Integer, Long> offsets = tiered.tieredState().offsets();
        LakeRowVisitor rows = new LakeRowVisitor(spec, lake);
        try (BufferAllocator allocator =
                        ArrowMemory.newAllocator("absorption of " + spec.path().getFullName());
                Absorption absorption = hot.beginAbsorption(offsets);
                Tail tail = new Tail(offsets, absorption.beganAt());
                SpillableKeySet present = new SpillableKeySet(spill);
                SpillableKeySet gone = new SpillableKeySet(spill);
                BucketBatches batches =
                        new BucketBatches(
                                spec,
                                allocator,
                                (bucket, batch) ->
                                        absorption.append(
                                                new AbsorbedBatch(bucket, mark, batch)))) {
            rows.visit(
                    newest.snapshotId(),
                    difference.after(),
                    row -> {
                        byte[] key = keys.encode(row);
                        present.add(key);
                        if (!tail.deletedByWriters.contains(key)) {
                            batches.add(placement.bucket(row), row);
                        }
                    });
            rows.visit(
                    tiered.snapshotId(),
                    difference.before(),
                    row -> {
                        byte[] key = keys.encode(row);
                        if (!present.contains(key)) {
                            gone.add(key);
                            batches.add(placement.bucket(row), deletion(row));
                        }
                    });
            if (tail.hasMarked) {
                tail.undo(key -> present.contains(key) || gone.contains(key), batches);
            }
            batches.flush();
        }
    }

    /**
     * Writes the keys again of which there may be two rows in the lake, because others have written
     * them, and that the round does not write anyway, because their row is the one that the table
     * has: the lake has them once afterwards, and no reader sees another row.
     *
     * @param positions where the round ends, by bucket
     * @return rows written
     */
    long writeDoubled(
            LakeSnapshot tiered,
            LakeSnapshot newest,
            Map<Integer, BucketPosition> positions,
            LakeWriter writer) {
        LakeDifference difference = lake.difference(tiered.snapshotId(), newest.snapshotId());
        Map<Integer, Long> ends = new TreeMap<>();
        positions.forEach((bucket, position) -> ends.put(bucket, position.offset()));
        LakeRowVisitor rows = new LakeRowVisitor(spec, lake);
        long[] count = {0};
        try (SpillableKeySet contested = new SpillableKeySet(spill);
                SpillableKeySet replaced = new SpillableKeySet(spill);
                SpillableKeySet seen = new SpillableKeySet(spill);
                SpillableKeySet written = new SpillableKeySet(spill);
                Tail tail = new Tail(tiered.tieredState().offsets(), ends)) {
            tail.read(spec.primaryKey(), (bucket, isMarked, kind, key, row) -> written.add(key));
            rows.visit(
                    newest.snapshotId(),
                    lake.writtenByOthers(tiered.snapshotId(), newest.snapshotId()),
                    row -> contested.add(keys.encode(row)));
            rows.visit(
                    tiered.snapshotId(),
                    difference.before(),
                    row -> replaced.add(keys.encode(row)));
            rows.visit(
                    newest.snapshotId(),
                    difference.after(),
                    row -> {
                        byte[] key = keys.encode(row);
                        boolean isDoubled =
                                !seen.add(key)
                                        || !replaced.contains(key)
                                        || contested.contains(key);
                        if (isDoubled && written.add(key)) {
                            writer.write(placement.bucket(row), row);
                            count[0]++;
                        }
                    });
        }
        return count[0];
    }

    /** What the changelog has that is not tiered yet. */
    private final class Tail implements AutoCloseable {

        private final Map<Integer, Long> from;
        private final Map<Integer, Long> to;
        private final SpillableKeySet deletedByWriters = new SpillableKeySet(spill);
        private boolean hasMarked;

        private Tail(Map<Integer, Long> from, Map<Integer, Long> to) {
            this.from = from;
            this.to = to;
            try {
                read(
                        spec.primaryKey(),
                        (bucket, isMarked, kind, key, row) -> {
                            hasMarked |= isMarked;
                            if (!isMarked && kind == RowKind.DELETE) {
                                deletedByWriters.add(key);
                            }
                        });
            } catch (RuntimeException e) {
                close();
                throw e;
            }
        }

        /**
         * Takes back what was taken over before and is not so any more: others have changed a key,
         * and then changed it back to what it was in tiering's snapshot. What that was, the first
         * record of the key tells.
         *
         * @param isDone keys in which the two snapshots differ
         */
        private void undo(Predicate<byte[]> isDone, BucketBatches batches) {
            try (SpillableKeySet seen = new SpillableKeySet(spill)) {
                read(
                        spec.rowType().getFieldNames(),
                        (bucket, isMarked, kind, key, row) -> {
                            if (seen.add(key)
                                    && isMarked
                                    && !isDone.test(key)
                                    && !deletedByWriters.contains(key)) {
                                batches.add(
                                        bucket,
                                        kind == RowKind.INSERT
                                                ? deletion(row)
                                                : new JoinedRowData(
                                                        RowKind.INSERT, row, NO_COLUMNS));
                            }
                        });
            }
        }

        private void read(List<String> columns, RecordVisitor visitor) {
            KeyEncoder encoder = KeyEncoder.forRows(spec, columns);
            from.forEach(
                    (bucket, start) -> {
                        ChangelogScan scan =
                                new ChangelogScan(bucket, start, to.get(bucket), columns, null);
                        try (RangeReader reader = new RangeReader(hot, scan)) {
                            while (reader.hasNext()) {
                                try (ChangelogBatch batch = reader.next()) {
                                    visit(bucket, batch, encoder, visitor);
                                }
                                RoundInterruption.check(spec);
                            }
                        }
                    });
        }

        private void visit(
                int bucket, ChangelogBatch batch, KeyEncoder encoder, RecordVisitor visitor) {
            for (int i = 0; i < batch.rows().rowCount(); i++) {
                RowData row = batch.rows().row(i);
                visitor.visit(
                        bucket,
                        batch.mark() != null,
                        batch.rows().rowKind(i),
                        encoder.encode(row),
                        row);
            }
        }

        @Override
        public void close() {
            deletedByWriters.close();
        }
    }

    /** Is shown records of the changelog. */
    private interface RecordVisitor {

        void visit(int bucket, boolean isMarked, RowKind kind, byte[] key, RowData row);
    }

    /** A view: rows of a lake may refuse another kind. */
    private static RowData deletion(RowData row) {
        return new JoinedRowData(RowKind.DELETE, row, NO_COLUMNS);
    }
}
