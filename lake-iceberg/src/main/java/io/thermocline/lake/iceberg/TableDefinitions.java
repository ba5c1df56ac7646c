package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeTableDefinition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;

/** What a table's schema, partition spec and properties say about it. */
final class TableDefinitions {

    private static final Pattern BUCKET = Pattern.compile("bucket\\[(\\d+)]");

    private TableDefinitions() {}

    static LakeTableDefinition of(ObjectPath path, Table table) {
        Optional<Declaration> declaration = declaration(path, table);
        Schema schema = table.schema();
        List<String> bucketKeys = declaration.map(Declaration::bucketKeys).orElse(List.of());
        int bucketCount = declaration.map(Declaration::bucketCount).orElse(1);
        for (PartitionField field : table.spec().fields()) {
            OptionalInt buckets = buckets(field);
            if (buckets.isPresent()) {
                bucketKeys = List.of(schema.findColumnName(field.sourceId()));
                bucketCount = buckets.getAsInt();
            }
        }
        return new LakeTableDefinition(
                path,
                schema.schemaId(),
                HeldTypes.toRowType(schema, declaration.map(Declaration::types).orElse(Map.of())),
                declaration.map(Declaration::primaryKey).orElse(identifiers(schema)),
                partitionKeys(table),
                bucketKeys,
                bucketCount,
                hotOptions(table));
    }

    static Optional<Declaration> declaration(ObjectPath path, Table table) {
        return Declaration.of(path.getFullName(), table.properties());
    }

    private static List<String> identifiers(Schema schema) {
        return schema.columns().stream()
                .filter(column -> schema.identifierFieldIds().contains(column.fieldId()))
                .map(column -> column.name())
                .toList();
    }

    /** Columns that partitions are made of as they are. */
    static List<String> partitionKeys(Table table) {
        List<String> keys = new ArrayList<>();
        for (PartitionField field : table.spec().fields()) {
            if (field.transform().isIdentity()) {
                keys.add(table.schema().findColumnName(field.sourceId()));
            }
        }
        return keys;
    }

    private static Map<String, String> hotOptions(Table table) {
        Map<String, String> options = new HashMap<>();
        table.properties()
                .forEach(
                        (key, value) -> {
                            if (key.startsWith(LakeTableDefinition.OPTION_PREFIX)
                                    && !key.equals(Declaration.PROPERTY)) {
                                options.put(
                                        key.substring(LakeTableDefinition.OPTION_PREFIX.length()),
                                        value);
                            }
                        });
        return options;
    }

    /** Position of the partition field that holds the table's bucket; empty if none does. */
    static OptionalInt bucketPosition(
            PartitionSpec spec, Schema schema, LakeTableDefinition definition) {
        for (int i = 0; i < spec.fields().size(); i++) {
            PartitionField field = spec.fields().get(i);
            OptionalInt buckets = buckets(field);
            if (buckets.isPresent()
                    && buckets.getAsInt() == definition.bucketCount()
                    && List.of(schema.findColumnName(field.sourceId()))
                            .equals(definition.bucketKeys())) {
                return OptionalInt.of(i);
            }
        }
        return OptionalInt.empty();
    }

    static boolean isBucket(PartitionField field) {
        return buckets(field).isPresent();
    }

    private static OptionalInt buckets(PartitionField field) {
        Matcher matcher = BUCKET.matcher(field.transform().toString());
        return matcher.matches()
                ? OptionalInt.of(Integer.parseInt(matcher.group(1)))
                : OptionalInt.empty();
    }
}
