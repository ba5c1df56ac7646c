package io.thermocline.hotstore.key;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.table.data.RowData;

/**
 * Encodes primary keys so that byte order is key order and the encoding of the first n key columns
 * is a byte prefix of the whole (see {@code docs/format.md}). Thread-safe.
 */
public final class KeyEncoder {

    private final String[] columns;
    private final int[] positions;
    private final KeyColumnEncoder[] encoders;
    private final int expectedBytes;

    private KeyEncoder(HotTableSpec spec, List<String> keyColumns, List<String> rowColumns) {
        int count = keyColumns.size();
        this.columns = keyColumns.toArray(new String[0]);
        this.positions = new int[count];
        this.encoders = new KeyColumnEncoder[count];
        int bytes = 0;
        for (int i = 0; i < count; i++) {
            String column = columns[i];
            positions[i] = rowColumns.indexOf(column);
            int tablePosition = spec.rowType().getFieldIndex(column);
            if (positions[i] < 0 || tablePosition < 0) {
                throw new HotStoreException(
                        ErrorCode.INVALID_ARGUMENT,
                        "key column '"
                                + column
                                + "' of "
                                + spec.path().getFullName()
                                + " is missing from the columns "
                                + (tablePosition < 0
                                        ? spec.rowType().getFieldNames()
                                        : rowColumns));
            }
            encoders[i] = KeyColumnEncoder.of(spec.rowType().getTypeAt(tablePosition), column);
            bytes += encoders[i].expectedBytes();
        }
        this.expectedBytes = bytes;
    }

    /**
     * Columns of the primary key in index order: partition columns, bucket key, then the rest.
     *
     * @return column names
     * @throws HotStoreException {@code INVALID_ARGUMENT} for a log table
     */
    public static List<String> keyOrder(HotTableSpec spec) {
        if (!spec.hasPrimaryKey()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    spec.path().getFullName()
                            + " is a log table: it has no primary key and no key index");
        }
        Set<String> order = new LinkedHashSet<>(spec.partitionKeys());
        order.addAll(spec.bucketKeys());
        order.addAll(spec.primaryKey());
        if (order.size() != spec.primaryKey().size()) {
            order.removeAll(spec.primaryKey());
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "partition and bucket-key columns "
                            + order
                            + " of "
                            + spec.path().getFullName()
                            + " are not part of its primary key "
                            + spec.primaryKey());
        }
        return List.copyOf(order);
    }

    /** An encoder that takes rows of {@code rowColumns} holding at least every key column. */
    public static KeyEncoder forRows(HotTableSpec spec, List<String> rowColumns) {
        return new KeyEncoder(spec, keyOrder(spec), rowColumns);
    }

    /**
     * An encoder of key prefixes: takes rows of {@code rowColumns}, of which the first {@code
     * prefixLength} columns of {@link #keyOrder} are encoded.
     */
    public static KeyEncoder forPrefix(
            HotTableSpec spec, List<String> rowColumns, int prefixLength) {
        List<String> order = keyOrder(spec);
        if (prefixLength < 1 || prefixLength > order.size()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a key prefix of "
                            + prefixLength
                            + " columns was asked for; the key of "
                            + spec.path().getFullName()
                            + " is "
                            + order);
        }
        return new KeyEncoder(spec, order.subList(0, prefixLength), rowColumns);
    }

    /**
     * Encodes the key of a row.
     *
     * @throws HotStoreException {@code NULL_IN_KEY} naming the column
     */
    public byte[] encode(RowData row) {
        KeyOutput output = new KeyOutput(expectedBytes);
        for (int i = 0; i < encoders.length; i++) {
            if (row.isNullAt(positions[i])) {
                throw new HotStoreException(
                        ErrorCode.NULL_IN_KEY,
                        "key column '"
                                + columns[i]
                                + "' is NULL in a row. Every column of the primary key needs a"
                                + " value: filter such rows out or give the column a default.");
            }
            encoders[i].encode(row, positions[i], output);
        }
        return output.toBytes();
    }
}
