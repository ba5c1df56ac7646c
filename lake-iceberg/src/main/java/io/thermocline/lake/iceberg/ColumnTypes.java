package io.thermocline.lake.iceberg;

import io.thermocline.lake.ColumnRules;
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

/** Which column types an Iceberg table can hold, and where. */
final class ColumnTypes {

    /** Iceberg has no identifier fields of these types: their values do not compare reliably. */
    private static final Set<LogicalTypeRoot> FLOATING =
            EnumSet.of(LogicalTypeRoot.FLOAT, LogicalTypeRoot.DOUBLE);

    /** Iceberg's bucket transform does not take these types. */
    private static final Set<LogicalTypeRoot> WITHOUT_BUCKET =
            EnumSet.of(LogicalTypeRoot.BOOLEAN, LogicalTypeRoot.FLOAT, LogicalTypeRoot.DOUBLE);

    private final ObjectPath path;
    private final ColumnRules rules;

    ColumnTypes(ObjectPath path) {
        this.path = path;
        this.rules = new ColumnRules(path, "Iceberg");
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
            rules.checkSupported(name, type);
            boolean comparable = ColumnRules.isComparable(type);
            if (primaryKey.contains(name) && (!comparable || FLOATING.contains(root))) {
                throw rules.refused(name, type, "as a primary-key column");
            }
            if (bucketKeys.contains(name)
                    && (!comparable || (bucketCount > 1 && WITHOUT_BUCKET.contains(root)))) {
                throw rules.refused(name, type, "as a bucket-key column");
            }
            if (table.getPartitionKeys().contains(name) && !comparable) {
                throw rules.refused(name, type, "as a partition column");
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

    /** Whether a table has a VARIANT, which Iceberg holds from format version 3 on, in Parquet. */
    static boolean hasVariant(ResolvedCatalogTable table) {
        return table.getResolvedSchema().getColumns().stream()
                .filter(Column::isPhysical)
                .anyMatch(column -> ColumnRules.hasVariant(column.getDataType().getLogicalType()));
    }
}
