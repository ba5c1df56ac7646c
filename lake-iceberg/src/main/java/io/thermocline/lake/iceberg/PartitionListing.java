package io.thermocline.lake.iceberg;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.table.catalog.CatalogPartitionSpec;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Type;

/** Partitions of a table as Flink sees them: by the values of columns, buckets left out. */
final class PartitionListing {

    /** As Flink and Paimon write a partition whose column is NULL. */
    private static final String NULL = "__DEFAULT_PARTITION__";

    private PartitionListing() {}

    /**
     * Partition columns; none if the table is partitioned by anything else than those and buckets.
     */
    static List<String> keys(Table table) {
        boolean byColumns =
                table.spec().fields().stream()
                        .allMatch(
                                field ->
                                        field.transform().isIdentity()
                                                || TableDefinitions.isBucket(field));
        return byColumns ? TableDefinitions.partitionKeys(table) : List.of();
    }

    static List<CatalogPartitionSpec> list(Table table) {
        Set<Map<String, String>> partitions = new LinkedHashSet<>();
        try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
            for (FileScanTask task : tasks) {
                partitions.add(values(table, task.spec(), task.file().partition()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<CatalogPartitionSpec> specs = new ArrayList<>();
        partitions.forEach(values -> specs.add(new CatalogPartitionSpec(values)));
        return specs;
    }

    private static Map<String, String> values(Table table, PartitionSpec spec, StructLike values) {
        Map<String, String> byColumn = new LinkedHashMap<>();
        for (int i = 0; i < spec.fields().size(); i++) {
            PartitionField field = spec.fields().get(i);
            if (field.transform().isIdentity()) {
                byColumn.put(
                        table.schema().findColumnName(field.sourceId()),
                        text(table.schema().findType(field.sourceId()), field, values, i));
            }
        }
        return byColumn;
    }

    @SuppressWarnings("unchecked")
    private static String text(Type type, PartitionField field, StructLike values, int position) {
        Object value = values.get(position, Object.class);
        return value == null
                ? NULL
                : ((org.apache.iceberg.transforms.Transform<Object, Object>) field.transform())
                        .toHumanString(type, value);
    }
}
