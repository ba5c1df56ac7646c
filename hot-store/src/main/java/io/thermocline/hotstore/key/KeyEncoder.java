package io.thermocline.hotstore.key;

import io.thermocline.hotstore.HotTableSpec;
import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * Encodes primary keys so that byte order is key order and the encoding of the first n key columns
 * is a byte prefix of the whole (see {@code docs/format.md}). Thread-safe.
 */
public final class KeyEncoder {

    private KeyEncoder() {}

    /**
     * Columns of the primary key in index order: partition columns, bucket key, then the rest.
     *
     * @return column names
     */
    public static List<String> keyOrder(HotTableSpec spec) {
        throw new UnsupportedOperationException("skeleton");
    }

    /** An encoder that takes rows of {@code rowColumns} holding at least every key column. */
    public static KeyEncoder forRows(HotTableSpec spec, List<String> rowColumns) {
        throw new UnsupportedOperationException("skeleton");
    }

    /**
     * An encoder of key prefixes: takes rows of {@code rowColumns}, of which the first {@code
     * prefixLength} columns of {@link #keyOrder} are encoded.
     */
    public static KeyEncoder forPrefix(
            HotTableSpec spec, List<String> rowColumns, int prefixLength) {
        throw new UnsupportedOperationException("skeleton");
    }

    /**
     * Encodes the key of a row.
     *
     * @throws io.thermocline.hotstore.HotStoreException {@code NULL_IN_KEY} naming the column
     */
    public byte[] encode(RowData row) {
        throw new UnsupportedOperationException("skeleton");
    }
}
