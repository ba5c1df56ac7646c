package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.MapType;

/** Which column types an Iceberg table can hold, and where. */
final class ColumnTypes {

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

    /** Iceberg has no identifier fields of these types: their values do not compare reliably. */
    private static final Set<LogicalTypeRoot> FLOATING =
            EnumSet.of(LogicalTypeRoot.FLOAT, LogicalTypeRoot.DOUBLE);

    /** Iceberg's bucket transform does not take these types. */
    private static final Set<LogicalTypeRoot> WITHOUT_BUCKET =
            EnumSet.of(LogicalTypeRoot.BOOLEAN, LogicalTypeRoot.FLOAT, LogicalTypeRoot.DOUBLE);

    private final ObjectPath path;

    ColumnTypes(ObjectPath path) {
        this.path = path;
    }

    void check(
            ResolvedCatalogTable table,
            List<String> primaryKey,
            List<String> bucketKeys,
            int bucketCount) {
        for (Column column : table.getResolvedSchema().getColumns()) {
            if (!column.isPhysical()) {
                continue;
            }
            String name = column.getName();
            LogicalType type = column.getDataType().getLogicalType();
            LogicalTypeRoot root = type.getTypeRoot();
            checkSupported(name, type, type);
            boolean comparable = !WITHOUT_EQUALITY.contains(root);
            if (primaryKey.contains(name) && (!comparable || FLOATING.contains(root))) {
                throw refused(name, type, "as a primary-key column");
            }
            if (bucketKeys.contains(name)
                    && (!comparable || (bucketCount > 1 && WITHOUT_BUCKET.contains(root)))) {
                throw refused(name, type, "as a bucket-key column");
            }
            if (table.getPartitionKeys().contains(name) && !comparable) {
                throw refused(name, type, "as a partition column");
            }
        }
        if (bucketKeys.size() > 1 && bucketCount > 1) {
            throw new LakeException(
                    Reason.UNSUPPORTED,
                    "cannot create table "
                            + path.getFullName()
                            + ": its rows are spread over "
                            + bucketCount
                            + " buckets by the bucket key "
                            + bucketKeys
                            + ", but the lake (Iceberg) places rows by one column. Name one of them:"
                            + " DISTRIBUTED BY HASH(...) INTO "
                            + bucketCount
                            + " BUCKETS; or use 1 bucket.");
        }
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

    /** Whether a table has a VARIANT, which Iceberg holds from format version 3 on, in Parquet. */
    static boolean hasVariant(ResolvedCatalogTable table) {
        return table.getResolvedSchema().getColumns().stream()
                .filter(Column::isPhysical)
                .anyMatch(column -> hasVariant(column.getDataType().getLogicalType()));
    }

    private static boolean hasVariant(LogicalType type) {
        return type.is(LogicalTypeRoot.VARIANT)
                || type.getChildren().stream().anyMatch(ColumnTypes::hasVariant);
    }

    private LakeException refused(String column, LogicalType type, String where) {
        return new LakeException(
                Reason.UNSUPPORTED,
                ("cannot create table "
                                        + path.getFullName()
                                        + ": column '"
                                        + column
                                        + "' has type "
                                        + type.asSummaryString()
                                        + ", which the lake (Iceberg) does not support "
                                        + where)
                                .strip()
                        + ". Choose another type for the column.");
    }
}
