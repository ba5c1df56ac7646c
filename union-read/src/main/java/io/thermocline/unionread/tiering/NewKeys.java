package io.thermocline.unionread.tiering;

import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.key.KeyEncoder;
import io.thermocline.unionread.reader.RangeReader;
import io.thermocline.unionread.reader.SpillSettings;
import io.thermocline.unionread.reader.SpillableKeySet;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/**
 * The keys of a changelog range that the table did not hold when the range began: those whose first
 * record is an insertion. Reads the key columns of the range once. Confined to one thread.
 */
final class NewKeys implements AutoCloseable {

    private final KeyEncoder encoder;
    private final SpillableKeySet inserted;

    /**
     * @param columns columns of the rows that {@link #contains} is asked about
     */
    NewKeys(
            HotTable hot,
            int bucket,
            long start,
            long end,
            List<String> columns,
            SpillSettings spill) {
        this.encoder = KeyEncoder.forRows(hot.spec(), columns);
        this.inserted = new SpillableKeySet(spill);
        List<String> keyColumns = hot.spec().primaryKey();
        KeyEncoder ofKeys = KeyEncoder.forRows(hot.spec(), keyColumns);
        ChangelogScan scan = new ChangelogScan(bucket, start, end, keyColumns, null);
        try (SpillableKeySet existing = new SpillableKeySet(spill);
                RangeReader reader = new RangeReader(hot, scan)) {
            while (reader.hasNext()) {
                try (ChangelogBatch batch = reader.next()) {
                    for (int row = 0; row < batch.rows().rowCount(); row++) {
                        add(
                                ofKeys.encode(batch.rows().row(row)),
                                batch.rows().rowKind(row) == RowKind.INSERT,
                                existing);
                    }
                }
                RoundInterruption.check(hot.spec());
            }
        } catch (RuntimeException e) {
            inserted.close();
            throw e;
        }
    }

    /** The first record of a key decides, so that a key is in one of the sets only. */
    private void add(byte[] key, boolean isInsert, SpillableKeySet existing) {
        if (isInsert) {
            if (!existing.contains(key)) {
                inserted.add(key);
            }
        } else if (!inserted.contains(key)) {
            existing.add(key);
        }
    }

    boolean contains(RowData row) {
        return inserted.contains(encoder.encode(row));
    }

    @Override
    public void close() {
        inserted.close();
    }
}
