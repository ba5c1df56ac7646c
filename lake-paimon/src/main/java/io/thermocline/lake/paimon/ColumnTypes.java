package io.thermocline.lake.paimon;

import io.thermocline.lake.ColumnRules;
import io.thermocline.lake.LakeTableDefinition;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.options.Options;

/** Which column types a Paimon table can hold, and where. Every supported type is held as it is. */
final class ColumnTypes {

    /**
     * A partition's directory is named after its values. The name of a binary value would not be
     * unique, that of a floating-point one would not be stable, and that of a TIMESTAMP_LTZ depends
     * on the time zone of the process that reads or writes it.
     */
    private static final Set<LogicalTypeRoot> PARTITION =
            EnumSet.of(
                    LogicalTypeRoot.BOOLEAN,
                    LogicalTypeRoot.TINYINT,
                    LogicalTypeRoot.SMALLINT,
                    LogicalTypeRoot.INTEGER,
                    LogicalTypeRoot.BIGINT,
                    LogicalTypeRoot.DECIMAL,
                    LogicalTypeRoot.CHAR,
                    LogicalTypeRoot.VARCHAR,
                    LogicalTypeRoot.DATE,
                    LogicalTypeRoot.TIME_WITHOUT_TIME_ZONE,
                    LogicalTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE);

    private static final Set<LogicalTypeRoot> FLOATING =
            EnumSet.of(LogicalTypeRoot.FLOAT, LogicalTypeRoot.DOUBLE);

    private static final String LAKE = "Paimon";

    private final ColumnRules rules;

    ColumnTypes(ColumnRules rules) {
        this.rules = rules;
    }

    static ColumnTypes toCreate(ObjectPath path) {
        return new ColumnTypes(new ColumnRules(path, LAKE));
    }

    static ColumnTypes toAttach(ObjectPath path) {
        return new ColumnTypes(new ColumnRules(path, LAKE, "give a hot tier to table"));
    }

    void check(ResolvedCatalogTable table, List<String> primaryKey, List<String> bucketKeys) {
        for (Column column : table.getResolvedSchema().getColumns()) {
            if (column.isPhysical()) {
                LogicalType type = column.getDataType().getLogicalType();
                check(column.getName(), type, primaryKey, bucketKeys, table.getPartitionKeys());
            }
        }
    }

    /**
     * Checks the columns of a table that exists. Unlike one whose rows all came through a hot tier,
     * it can hold -0.0 beside 0.0, and NaN values of several bit patterns.
     */
    void checkExisting(LakeTableDefinition definition) {
        for (RowType.RowField field : definition.rowType().getFields()) {
            check(
                    field.getName(),
                    field.getType(),
                    definition.primaryKey(),
                    definition.bucketKeys(),
                    definition.partitionKeys());
            if (FLOATING.contains(field.getType().getTypeRoot())
                    && definition.primaryKey().contains(field.getName())) {
                throw rules.refused(
                        field.getName(),
                        field.getType(),
                        "as a primary-key column of a table that has rows already");
            }
        }
    }

    private void check(
            String name,
            LogicalType type,
            List<String> primaryKey,
            List<String> bucketKeys,
            List<String> partitionKeys) {
        rules.checkSupported(name, type);
        boolean comparable = ColumnRules.isComparable(type);
        if (!comparable && primaryKey.contains(name)) {
            throw rules.refused(name, type, "as a primary-key column");
        }
        if (!comparable && bucketKeys.contains(name)) {
            throw rules.refused(name, type, "as a bucket-key column");
        }
        if (partitionKeys.contains(name) && !PARTITION.contains(type.getTypeRoot())) {
            throw rules.refused(name, type, "as a partition column");
        }
    }

    /**
     * VARIANT is held in Parquet files only.
     *
     * @param options of the table, with the catalog's defaults
     */
    void checkFileFormats(ResolvedCatalogTable table, Map<String, String> options) {
        for (Column column : table.getResolvedSchema().getColumns()) {
            LogicalType type = column.getDataType().getLogicalType();
            if (column.isPhysical() && ColumnRules.hasVariant(type)) {
                for (String format : fileFormats(Options.fromMap(options))) {
                    if (!format.equalsIgnoreCase(CoreOptions.FILE_FORMAT_PARQUET)) {
                        throw rules.refused(
                                column.getName(),
                                type,
                                "in files of the format " + format,
                                "Use 'file.format'='parquet'");
                    }
                }
            }
        }
    }

    private static List<String> fileFormats(Options options) {
        List<String> formats =
                new ArrayList<>(options.get(CoreOptions.FILE_FORMAT_PER_LEVEL).values());
        formats.add(options.get(CoreOptions.FILE_FORMAT));
        return formats;
    }
}
