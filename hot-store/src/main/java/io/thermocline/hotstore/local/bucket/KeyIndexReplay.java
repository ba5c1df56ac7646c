package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.arrow.RowBatch;
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

    private final TableContext context;
    private final GroupIndex groups;
    private final int bucket;

    KeyIndexReplay(TableContext context, GroupIndex groups, int bucket) {
        this.context = context;
        this.groups = groups;
        this.bucket = bucket;
    }

    /**
     * Applies the records that the index lacks.
     *
     * @param end exclusive end of the changelog
     * @throws HotStoreException {@code CORRUPT_KEY_INDEX} if the index is ahead of the changelog,
     *     or the changelog does not reach back to it; {@code TABLE_CLOSED} if the store closes
     */
    void replay(KeyIndex index, long end) {
        long offset = index.appliedOffset();
        if (offset > end) {
            throw corrupt(
                    offset,
                    "but the changelog ends at "
                            + end
                            + ": the end of the changelog was lost, or an older copy of it was"
                            + " restored");
        }
        while (offset < end) {
            GroupPlace group = groups.find(offset);
            if (group == null) {
                throw corrupt(offset, "but the changelog does not reach back to there");
            }
            if (!group.file().claim()) {
                checkReplaced(group, offset);
                continue;
            }
            try {
                replayGroup(index, group, offset);
            } finally {
                group.file().release();
            }
            offset = group.endOffset();
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

    private void replayGroup(KeyIndex index, GroupPlace group, long from) {
        FrameGroupReader reader = GroupReader.open(group);
        if (reader.header().isControl()) {
            try (KeyIndex.Changes none = new KeyIndex.Changes()) {
                index.write(none, group.endOffset());
            }
            return;
        }
        HotTableSpec spec = context.spec();
        KeyEncoder keyEncoder = KeyEncoder.forRows(spec, spec.rowType().getFieldNames());
        RowDataSerializer serializer = new RowDataSerializer(spec.rowType());
        try (RowBatch rows = reader.decode(spec.rowType(), spec.rowType(), context.allocator());
                KeyIndex.Changes changes = new KeyIndex.Changes()) {
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
                                        spec.schemaVersion(), group.baseOffset() + row, binary));
                    }
                }
            }
            index.write(changes, group.endOffset());
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
