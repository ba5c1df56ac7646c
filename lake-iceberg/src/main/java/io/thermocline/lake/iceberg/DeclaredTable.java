package io.thermocline.lake.iceberg;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.types.logical.RowType;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;

/** A table with a hot tier as CREATE TABLE declared it. */
final class DeclaredTable {

    private DeclaredTable() {}

    static CatalogTable of(ObjectPath path, Table table) {
        Optional<Declaration> declaration = TableDefinitions.declaration(path, table);
        Map<String, String> options = new HashMap<>(table.properties());
        String comment = options.remove(TableCreation.COMMENT);
        options.entrySet().removeAll(TableCreation.IMPLIED.entrySet());
        TimePartitions.optionOf(table)
                .ifPresent(value -> options.put(TimePartitions.OPTION, value));
        return CatalogTable.newBuilder()
                .schema(schema(table, declaration))
                .comment(comment == null ? "" : comment)
                .partitionKeys(TableDefinitions.partitionKeys(table))
                .options(options)
                .build();
    }

    private static Schema schema(Table table, Optional<Declaration> declaration) {
        Map<Integer, Declaration.ComputedColumn> computed =
                declaration.map(Declaration::computedColumns).orElse(List.of()).stream()
                        .collect(
                                Collectors.toMap(
                                        Declaration.ComputedColumn::position,
                                        Function.identity(),
                                        (a, b) -> a,
                                        LinkedHashMap::new));
        RowType rowType =
                HeldTypes.toRowType(
                        table.schema(), declaration.map(Declaration::types).orElse(Map.of()));
        Schema.Builder schema = Schema.newBuilder();
        int physical = 0;
        int total = rowType.getFieldCount() + computed.size();
        for (int position = 0; position < total; position++) {
            Declaration.ComputedColumn column = computed.get(position);
            if (column != null) {
                schema.columnByExpression(column.name(), column.expression());
                comment(schema, column.comment());
            } else {
                Types.NestedField field = table.schema().columns().get(physical);
                schema.column(field.name(), DataTypes.of(rowType.getTypeAt(physical)));
                comment(schema, field.doc());
                physical++;
            }
        }
        declaration
                .map(Declaration::watermarks)
                .orElse(List.of())
                .forEach(watermark -> schema.watermark(watermark.column(), watermark.expression()));
        List<String> primaryKey = declaration.map(Declaration::primaryKey).orElse(List.of());
        if (!primaryKey.isEmpty()) {
            schema.primaryKey(primaryKey);
        }
        return schema.build();
    }

    private static void comment(Schema.Builder schema, String comment) {
        if (comment != null) {
            schema.withComment(comment);
        }
    }
}
