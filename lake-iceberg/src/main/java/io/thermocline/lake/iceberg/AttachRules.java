package io.thermocline.lake.iceberg;

import io.thermocline.lake.ColumnRules;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeTableDefinition;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.utils.TypeConversions;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;

/** What an Iceberg table that exists must be like to get a hot tier. */
final class AttachRules {

    private static final int FIRST_WITH_DELETES = 2;

    private final ObjectPath path;
    private final Table table;
    private final LakeTableDefinition definition;

    AttachRules(ObjectPath path, Table table) {
        this.path = path;
        this.table = table;
        this.definition = TableDefinitions.of(path, table);
    }

    void check() {
        int format = ((HasTableOperations) table).operations().current().formatVersion();
        if (format < FIRST_WITH_DELETES) {
            throw refused(
                    "its format version is " + format + ", and deletes of rows need 2",
                    "ALTER TABLE … SET ('format-version'='2') raises it");
        }
        table.properties().keySet().forEach(this::checkProperty);
        checkColumns();
        checkFields();
        if (!definition.primaryKey().isEmpty()) {
            checkKeyedFields();
            checkOneSpec();
        }
    }

    private void checkProperty(String key) {
        // Only Iceberg's own sink acts on it.
        if (key.equals(TableProperties.UPSERT_ENABLED)) {
            return;
        }
        Optional<String> reason = IcebergTableOptions.conflict(key);
        if (reason.isPresent()) {
            throw refused(
                    "its property '%s' does not go with one: %s".formatted(key, reason.get()),
                    "ALTER TABLE … RESET ('%s') if the table can do without it".formatted(key));
        }
    }

    private void checkColumns() {
        ColumnRules rules = new ColumnRules(path, "Iceberg", "give a hot tier to table");
        List<RowType.RowField> fields = definition.rowType().getFields();
        for (int i = 0; i < fields.size(); i++) {
            String name = fields.get(i).getName();
            LogicalType type = fields.get(i).getType();
            rules.checkSupported(name, type);
            if (!ColumnRules.isComparable(type) && definition.primaryKey().contains(name)) {
                throw rules.refused(name, type, "as a primary-key column");
            }
            checkHeld(table.schema().columns().get(i), type);
        }
    }

    /** Rows that come back from the hot tier must be written as what they were read as. */
    private void checkHeld(Types.NestedField field, LogicalType type) {
        Column column = Column.physical(field.name(), TypeConversions.fromLogicalToDataType(type));
        Schema held =
                HeldTypes.toSchema(
                        List.of(field.doc() == null ? column : column.withComment(field.doc())),
                        List.of());
        if (!numbered(held).equals(numbered(new Schema(field)))) {
            throw refused(
                    "column '%s' is %s, which Flink reads as %s, and that is written as %s"
                            .formatted(
                                    field.name(),
                                    field.type(),
                                    type.asSummaryString(),
                                    held.columns().get(0).type()),
                    "Copy its rows to a table with another type");
        }
    }

    private static Types.StructType numbered(Schema schema) {
        AtomicInteger ids = new AtomicInteger();
        return TypeUtil.assignFreshIds(schema, ids::incrementAndGet).asStruct();
    }

    private void checkFields() {
        for (PartitionField field : table.spec().fields()) {
            if (table.schema().columns().stream()
                    .noneMatch(column -> column.fieldId() == field.sourceId())) {
                throw refused(
                        "partition field '%s' is of a column that is gone or nested"
                                .formatted(field.name()),
                        "Remove the field from the partition spec");
            }
        }
    }

    private void checkKeyedFields() {
        int buckets = 0;
        for (PartitionField field : table.spec().fields()) {
            String column = table.schema().findColumnName(field.sourceId());
            if (TableDefinitions.isBucket(field)) {
                buckets++;
            } else if (!field.transform().isIdentity()) {
                throw refused(
                        "partition field '%s' is %s, and only identity and bucket[n] tell where the row of a key is"
                                .formatted(field.name(), field.transform()),
                        "Replace the field, and rewrite the table's files");
            }
            if (!definition.primaryKey().contains(column)) {
                throw refused(
                        "partition field '%s' is of column '%s', which is not an identifier field: a row could change its partition"
                                .formatted(field.name(), column),
                        "Set identifier fields that contain it");
            }
        }
        if (buckets > 1) {
            throw refused(
                    "it has " + buckets + " bucket fields",
                    "Leave one, and rewrite the table's files");
        }
    }

    /** A delete by key takes effect on files of its own partition spec only. */
    private void checkOneSpec() {
        if (table.currentSnapshot() == null) {
            return;
        }
        for (ManifestFile manifest : table.currentSnapshot().allManifests(table.io())) {
            if (manifest.partitionSpecId() != table.spec().specId()) {
                throw refused(
                        "it has files of partition spec %d, the present one is %d, and a delete by key does not reach them"
                                .formatted(manifest.partitionSpecId(), table.spec().specId()),
                        "Rewrite the table's files and its manifests");
            }
        }
    }

    private LakeException refused(String why, String wayOut) {
        return new LakeException(
                Reason.UNSUPPORTED,
                "table "
                        + path.getFullName()
                        + " cannot get a hot tier: "
                        + why
                        + ". "
                        + wayOut
                        + ".");
    }
}
