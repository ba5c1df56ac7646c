package io.thermocline.lake;

import io.thermocline.lake.LakeException.Reason;
import java.util.EnumSet;
import java.util.Set;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.MapType;

/**
 * What every lake says about the columns of a table that gets a hot tier: which types can be held
 * at all, and how a column is refused.
 *
 * @param path the table, for messages
 * @param lake name of the lake, for messages
 * @param task what is to be done to the table, for messages: "create table"
 */
public record ColumnRules(ObjectPath path, String lake, String task) {

    /** The rules for a table that is to be created. */
    public ColumnRules(ObjectPath path, String lake) {
        this(path, lake, "create table");
    }

    private static final Set<LogicalTypeRoot> WITHOUT_EQUALITY =
            EnumSet.of(
                    LogicalTypeRoot.ARRAY,
                    LogicalTypeRoot.MAP,
                    LogicalTypeRoot.ROW,
                    LogicalTypeRoot.VARIANT);

    private static final Set<LogicalTypeRoot> SUPPORTED =
            EnumSet.of(
                    LogicalTypeRoot.BOOLEAN,
                    LogicalTypeRoot.TINYINT,
                    LogicalTypeRoot.SMALLINT,
                    LogicalTypeRoot.INTEGER,
                    LogicalTypeRoot.BIGINT,
                    LogicalTypeRoot.FLOAT,
                    LogicalTypeRoot.DOUBLE,
                    LogicalTypeRoot.DECIMAL,
                    LogicalTypeRoot.CHAR,
                    LogicalTypeRoot.VARCHAR,
                    LogicalTypeRoot.BINARY,
                    LogicalTypeRoot.VARBINARY,
                    LogicalTypeRoot.DATE,
                    LogicalTypeRoot.TIME_WITHOUT_TIME_ZONE,
                    LogicalTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE,
                    LogicalTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE,
                    LogicalTypeRoot.VARIANT,
                    LogicalTypeRoot.ARRAY,
                    LogicalTypeRoot.MAP,
                    LogicalTypeRoot.ROW);

    /** Whether values of a type are equal when their bytes are, so that it can be part of a key. */
    public static boolean isComparable(LogicalType type) {
        return !WITHOUT_EQUALITY.contains(type.getTypeRoot());
    }

    /** Whether a type is VARIANT or has one in it. */
    public static boolean hasVariant(LogicalType type) {
        return type.is(LogicalTypeRoot.VARIANT)
                || type.getChildren().stream().anyMatch(ColumnRules::hasVariant);
    }

    /**
     * Checks that a column can be held.
     *
     * @throws LakeException {@code UNSUPPORTED}
     */
    public void checkSupported(String column, LogicalType type) {
        checkSupported(column, type, type);
    }

    private void checkSupported(String column, LogicalType columnType, LogicalType type) {
        if (!SUPPORTED.contains(type.getTypeRoot())) {
            throw refused(column, columnType, type.equals(columnType) ? "" : "(" + type + ")");
        }
        if (type instanceof MapType map && hasVariant(map.getKeyType())) {
            throw refused(column, columnType, "with VARIANT in the key of a map");
        }
        type.getChildren().forEach(child -> checkSupported(column, columnType, child));
    }

    /**
     * The refusal of a column.
     *
     * @param where in which part the type is not supported; may be empty
     */
    public LakeException refused(String column, LogicalType type, String where) {
        return refused(column, type, where, "Choose another type for the column");
    }

    /**
     * The refusal of a column.
     *
     * @param where in which part the type is not supported; may be empty
     * @param advice what to do, without a full stop
     */
    public LakeException refused(String column, LogicalType type, String where, String advice) {
        return new LakeException(
                Reason.UNSUPPORTED,
                ("cannot "
                                        + task
                                        + " "
                                        + path.getFullName()
                                        + ": column '"
                                        + column
                                        + "' has type "
                                        + type.asSummaryString()
                                        + ", which the lake ("
                                        + lake
                                        + ") does not support "
                                        + where)
                                .strip()
                        + ". "
                        + advice
                        + ".");
    }
}
