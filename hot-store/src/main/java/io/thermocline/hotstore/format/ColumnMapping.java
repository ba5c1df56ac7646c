package io.thermocline.hotstore.format;

import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.arrow.ArrowTypes;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.flink.table.types.logical.RowType;

/**
 * Where the columns of a batch are found in frame groups of one schema version. Made once for many
 * groups. Thread-safe.
 */
public final class ColumnMapping {

    private final RowType written;
    private final RowType wanted;
    private final Schema wantedSchema;
    private final int[] positions;
    private final int unreadable;

    /**
     * @param written columns of the groups' schema version
     * @param wanted columns of the batch, in its order; one that is not in {@code written} is NULL
     * @throws HotStoreException {@code UNSUPPORTED_TYPE} naming column and type
     */
    public ColumnMapping(RowType written, RowType wanted) {
        this.written = written;
        this.wanted = wanted;
        this.wantedSchema = ArrowTypes.schemaOf(wanted);
        this.positions = new int[wanted.getFieldCount()];
        int mismatch = -1;
        for (int column = 0; column < positions.length; column++) {
            positions[column] = written.getFieldIndex(wanted.getFieldNames().get(column));
            if (mismatch < 0
                    && positions[column] >= 0
                    && !ArrowTypes.haveSameLayout(
                            written.getTypeAt(positions[column]), wanted.getTypeAt(column))) {
                mismatch = column;
            }
        }
        this.unreadable = mismatch;
    }

    RowType written() {
        return written;
    }

    RowType wanted() {
        return wanted;
    }

    Schema wantedSchema() {
        return wantedSchema;
    }

    int columnCount() {
        return positions.length;
    }

    /** Position of a wanted column among the written ones; negative if it is not there. */
    int position(int column) {
        return positions[column];
    }

    /** The first wanted column that is held in another way; negative if there is none. */
    int unreadable() {
        return unreadable;
    }
}
