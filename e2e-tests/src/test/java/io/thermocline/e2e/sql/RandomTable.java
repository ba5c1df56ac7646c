package io.thermocline.e2e.sql;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/**
 * A table of a random shape: the key in any position, up to two partition columns, columns of every
 * type. Key columns take few values, so that keys meet again.
 */
final class RandomTable {

    private static final int VALUES_PER_KEY_COLUMN = 5;
    private static final int MAX_BUCKETS = 4;

    private record Column(String name, ColumnKind kind) {}

    private final String name;
    private final List<Column> columns = new ArrayList<>();
    private final List<String> key = new ArrayList<>();
    private final List<String> partition = new ArrayList<>();
    private final List<String> bucketKey = new ArrayList<>();
    private final int buckets;

    /** Whether the lake has no type for nanoseconds. */
    private final boolean heldAsText;

    private final Map<String, List<Object>> keyValues = new HashMap<>();

    private RandomTable(String name, boolean hasKey, String lake, Random random) {
        this.name = name;
        this.heldAsText = lake.equals("iceberg");
        this.buckets = 1 + random.nextInt(MAX_BUCKETS);
        for (int i = random.nextInt(3); i > 0; i--) {
            partition.add(add("p" + i, pick(ColumnKind.partitions(), random)));
        }
        List<String> rest = new ArrayList<>();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            rest.add(add("k" + i, pick(ColumnKind.keys(), random)));
        }
        if (hasKey) {
            key.addAll(rest);
            key.addAll(partition);
            Collections.shuffle(key, random);
        }
        if (hasKey || random.nextBoolean()) {
            bucketKey.addAll(rest.subList(0, 1 + random.nextInt(rest.size())));
            if (lake.equals("iceberg") && buckets > 1) {
                // Iceberg places rows by one column.
                bucketKey.subList(1, bucketKey.size()).clear();
            }
        }
        for (Column column : columns) {
            List<Object> values = new ArrayList<>();
            for (int i = 0; i < VALUES_PER_KEY_COLUMN; i++) {
                values.add(column.kind().random().apply(random));
            }
            keyValues.put(column.name(), values);
        }
        for (int i = 1 + random.nextInt(10); i > 0; i--) {
            add("v" + i, pick(ColumnKind.ALL, random));
        }
        Collections.shuffle(columns, random);
    }

    static RandomTable withKey(String name, String lake, Random random) {
        return new RandomTable(name, true, lake, random);
    }

    static RandomTable withoutKey(String name, String lake, Random random) {
        return new RandomTable(name, false, lake, random);
    }

    String name() {
        return name;
    }

    boolean hasKey() {
        return !key.isEmpty();
    }

    List<String> key() {
        return key;
    }

    List<String> columnNames() {
        return columns.stream().map(Column::name).toList();
    }

    String ddl() {
        StringBuilder ddl = new StringBuilder("CREATE TABLE " + name + " (\n  ");
        ddl.append(
                columns.stream()
                        .map(c -> c.name() + " " + c.kind().ddl())
                        .collect(Collectors.joining(",\n  ")));
        if (hasKey()) {
            ddl.append(",\n  PRIMARY KEY (" + String.join(", ", key) + ") NOT ENFORCED");
        }
        ddl.append("\n) DISTRIBUTED ");
        if (!bucketKey.isEmpty()) {
            ddl.append("BY HASH(" + String.join(", ", bucketKey) + ") ");
        }
        ddl.append("INTO " + buckets + " BUCKETS");
        if (!partition.isEmpty()) {
            ddl.append("\nPARTITIONED BY (" + String.join(", ", partition) + ")");
        }
        return ddl.append("\nWITH ('tiering.enabled'='false')").toString();
    }

    /** The lake table behind it, with columns of the declared types. */
    String lakeQuery() {
        return columns.stream()
                .map(
                        column ->
                                heldAsText && column.kind().ddl().equals("TIMESTAMP(9)")
                                        ? "CAST(" + column.name() + " AS TIMESTAMP(9))"
                                        : column.name())
                .collect(Collectors.joining(", ", "SELECT ", " FROM " + name + "$lake"));
    }

    /** Schema of rows given to Flink's API. */
    Schema schema() {
        Schema.Builder schema = Schema.newBuilder();
        columns.forEach(c -> schema.column(c.name(), typeOf(c)));
        return hasKey() ? schema.primaryKey(key).build() : schema.build();
    }

    DataType dataType() {
        return DataTypes.ROW(
                columns.stream().map(c -> DataTypes.FIELD(c.name(), typeOf(c))).toList());
    }

    /** Schema and type of rows that hold the key only, in key order. */
    DataType keyDataType() {
        return DataTypes.ROW(key.stream().map(k -> DataTypes.FIELD(k, typeOf(column(k)))).toList());
    }

    Row randomRow(Random random) {
        Row row = Row.withPositions(RowKind.INSERT, columns.size());
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            List<Object> few = keyValues.get(column.name());
            boolean isNull = isNullable(column) && random.nextInt(6) == 0;
            row.setField(
                    i,
                    isNull
                            ? null
                            : few != null
                                    ? pick(few, random)
                                    : column.kind().random().apply(random));
        }
        return row;
    }

    /** A row with another row's key. */
    Row randomRowWithKeyOf(Row other, Random random) {
        Row row = randomRow(random);
        for (String k : key) {
            int position = columnNames().indexOf(k);
            row.setField(position, other.getField(position));
        }
        return row;
    }

    /** A delete that carries nothing but the key. */
    Row keyOnlyDelete(Row row) {
        Row delete = Row.withPositions(RowKind.DELETE, columns.size());
        for (String k : key) {
            int position = columnNames().indexOf(k);
            delete.setField(position, row.getField(position));
        }
        return delete;
    }

    /** Fields of the columns, in the order given. */
    Row project(Row row, List<String> names) {
        Row projected = new Row(names.size());
        for (int i = 0; i < names.size(); i++) {
            projected.setField(i, row.getField(columnNames().indexOf(names.get(i))));
        }
        return projected;
    }

    /** Some columns, at least one, in any order. */
    List<String> randomProjection(Random random) {
        List<String> names = new ArrayList<>(columnNames());
        Collections.shuffle(names, random);
        return names.subList(0, 1 + random.nextInt(names.size()));
    }

    /** Every combination of key values is one of these for about half of them. */
    List<Row> someKeys(Random random, int count) {
        Set<String> seen = new LinkedHashSet<>();
        List<Row> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Row candidate = project(randomRow(random), key);
            if (seen.add(RowText.of(candidate))) {
                keys.add(candidate);
            }
        }
        return keys;
    }

    private boolean isNullable(Column column) {
        return !key.contains(column.name()) && !partition.contains(column.name());
    }

    private DataType typeOf(Column column) {
        DataType type = column.kind().dataType();
        return key.contains(column.name()) ? type.notNull() : type;
    }

    private Column column(String columnName) {
        return columns.stream().filter(c -> c.name().equals(columnName)).findFirst().orElseThrow();
    }

    private String add(String columnName, ColumnKind kind) {
        columns.add(new Column(columnName, kind));
        return columnName;
    }

    private static <T> T pick(List<T> from, Random random) {
        return from.get(random.nextInt(from.size()));
    }
}
