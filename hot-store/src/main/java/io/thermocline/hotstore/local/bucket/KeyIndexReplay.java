package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.format.ColumnMapping;
import io.thermocline.hotstore.format.FrameGroupReader;
import io.thermocline.hotstore.key.KeyEncoder;
import io.thermocline.hotstore.local.keyindex.KeyIndex;
import io.thermocline.hotstore.local.keyindex.StoredRow;
import io.thermocline.hotstore.local.segment.GroupIndex;
import io.thermocline.hotstore.local.segment.GroupPlace;
import io.thermocline.hotstore.local.segment.GroupReader;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.types.RowKind;

/** Brings a key index up to the end of its changelog after the store was opened. */
final class KeyIndexReplay {

    /** Bytes of groups whose rows are written to the index at once, at least. */
    private static final long WRITE_BYTES = 256 << 10;

    /** What a group takes however few rows it has, in bytes of rows of a large group. */
    private static final long GROUP_COST_BYTES = 8 << 10;

    private final TableContext context;
    private final GroupIndex groups;
    private final int bucket;
    private final ColumnMapping columns;
    private final KeyEncoder keyEncoder;
    private final RowDataSerializer serializer;

    KeyIndexReplay(TableContext context, GroupIndex groups, int bucket) {
        this.context = context;
        this.groups = groups;
        this.bucket = bucket;
        HotTableSpec spec = context.spec();
        this.columns = new ColumnMapping(spec.rowType(), spec.rowType());
        this.keyEncoder = KeyEncoder.forRows(spec, spec.rowType().getFieldNames());
        this.serializer = new RowDataSerializer(spec.rowType());
    }

    /**
     * Applies the records that the index lacks.
     *
     * @param end exclusive end of the changelog
     * @return what it read, by {@link #cost}
     * @throws HotStoreException {@code CORRUPT_KEY_INDEX} if the index is ahead of the changelog,
     *     or the changelog does not reach back to it; {@code TABLE_CLOSED} if the store closes
     */
    long replay(KeyIndex index, long end) {
        long offset = index.appliedOffset();
        if (offset > end) {
            throw corrupt(
                    offset,
                    "but the changelog ends at "
                            + end
                            + ": the end of the changelog was lost, or an older copy of it was"
                            + " restored");
        }
        long cost = 0;
        while (offset < end) {
            try (KeyIndex.Changes changes = new KeyIndex.Changes()) {
                // groups of a few rows each are written together
                for (long bytes = 0; offset < end && bytes < WRITE_BYTES; ) {
                    GroupPlace group = claim(offset);
                    try {
                        collect(group, offset, changes);
                    } finally {
                        group.file().release();
                    }
                    offset = group.endOffset();
                    bytes += group.length();
                    cost += cost(group.length());
                }
                index.write(changes, offset);
            }
        }
        return cost;
    }

    /**
     * How much a group adds to the time of a replay, in bytes of rows in large groups.
     *
     * @param groupBytes length of the group
     */
    static long cost(long groupBytes) {
        return groupBytes + GROUP_COST_BYTES;
    }

    /** The group with a record, with a claim on its file. */
    private GroupPlace claim(long offset) {
        while (true) {
            GroupPlace group = groups.find(offset);
            if (group == null) {
                throw corrupt(offset, "but the changelog does not reach back to there");
            }
            if (group.file().claim()) {
                return group;
            }
            checkReplaced(group, offset);
        }
    }

    /** A file is closed after its groups were replaced, or for good. */
    private void checkReplaced(GroupPlace group, long offset) {
        GroupPlace now = groups.find(offset);
        if (now != null && now.file() == group.file()) {
            throw new HotStoreException(
                    ErrorCode.TABLE_CLOSED,
                    "the key index of bucket "
                            + bucket
                            + " of table "
                            + context.spec().path()
                            + " cannot be brought up to date: the table was dropped, or its hot"
                            + " store is closing.");
        }
    }

    private void collect(GroupPlace group, long from, KeyIndex.Changes changes) {
        FrameGroupReader reader = GroupReader.open(group);
        if (reader.header().isControl()) {
            return;
        }
        try (RowBatch rows = reader.decode(columns, context.allocator())) {
            for (int row = (int) (from - group.baseOffset()); row < rows.rowCount(); row++) {
                switch (rows.rowKind(row)) {
                    case UPDATE_BEFORE -> {
                        // The +U that follows has all.
                    }
                    case DELETE -> {
                        changes.put(keyEncoder.encode(rows.row(row)), null);
                        changes.addRows(-1);
                    }
                    case INSERT, UPDATE_AFTER -> {
                        changes.addRows(rows.rowKind(row) == RowKind.INSERT ? 1 : 0);
                        BinaryRowData binary = serializer.toBinaryRow(rows.row(row));
                        binary.setRowKind(RowKind.INSERT);
                        changes.put(
                                keyEncoder.encode(rows.row(row)),
                                StoredRow.encode(
                                        context.spec().schemaVersion(),
                                        group.baseOffset() + row,
                                        binary));
                    }
                }
            }
        }
    }

    private HotStoreException corrupt(long applied, String what) {
        return new HotStoreException(
                ErrorCode.CORRUPT_KEY_INDEX,
                "the key index of bucket "
                        + bucket
                        + " of table "
                        + context.spec().path()
                        + " in "
                        + context.keyIndexDirectory(bucket)
                        + " is at offset "
                        + applied
                        + ", "
                        + what
                        + ". Restore the hot directory as a whole from one copy, or remove it to"
                        + " start again from what the lake holds.");
    }
}
