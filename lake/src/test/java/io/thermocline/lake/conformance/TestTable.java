package io.thermocline.lake.conformance;

import io.thermocline.lake.LakeTableDefinition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/** A table to create: columns, keys, options. */
public final class TestTable {

    private final List<Column> columns = new ArrayList<>();
    private final Map<String, String> options = new HashMap<>();
    private List<String> primaryKey = List.of();
    private List<String> partitionKeys = List.of();

    public TestTable() {
        tableId(UUID.randomUUID().toString());
    }

    /** Adds a column. */
    public TestTable column(String name, DataType type) {
        columns.add(Column.physical(name, type));
        return this;
    }

    /** Sets the primary key. */
    public TestTable primaryKey(String... names) {
        primaryKey = List.of(names);
        return this;
    }

    /** Sets the partition columns. */
    public TestTable partitionedBy(String... names) {
        partitionKeys = List.of(names);
        return this;
    }

    /** Sets the table id. */
    public TestTable tableId(String id) {
        return option(LakeTableDefinition.OPTION_PREFIX + LakeTableDefinition.TABLE_ID, id);
    }

    /** Sets an option. */
    public TestTable option(String key, String value) {
        options.put(key, value);
        return this;
    }

    /** The physical columns. */
    public RowType rowType() {
        return RowType.of(
                false,
                columns.stream()
                        .map(column -> column.getDataType().getLogicalType())
                        .toArray(LogicalType[]::new),
                columns.stream().map(Column::getName).toArray(String[]::new));
    }

    /** As the catalog gets it. */
    public ResolvedCatalogTable build() {
        ResolvedSchema resolved =
                new ResolvedSchema(
                        columns,
                        List.of(),
                        primaryKey.isEmpty() ? null : UniqueConstraint.primaryKey("pk", primaryKey),
                        List.of());
        CatalogTable table =
                CatalogTable.newBuilder()
                        .schema(Schema.newBuilder().fromResolvedSchema(resolved).build())
                        .comment("a test table")
                        .partitionKeys(partitionKeys)
                        .options(options)
                        .build();
        return new ResolvedCatalogTable(table, resolved);
    }

    /**
     * Columns of every supported type, nullable ones and others, before and after a key {@code id}.
     */
    public static TestTable withAllTypes() {
        return new TestTable()
                .column("c_boolean", DataTypes.BOOLEAN())
                .column("c_tinyint", DataTypes.TINYINT())
                .column("c_smallint", DataTypes.SMALLINT().notNull())
                .column("c_char", DataTypes.CHAR(5))
                .column("c_timestamp9", DataTypes.TIMESTAMP(9))
                .column("c_row", nestedRow())
                .column("c_variant_required", DataTypes.VARIANT().notNull())
                .column("id", DataTypes.BIGINT().notNull())
                .column("c_int", DataTypes.INT())
                .column("c_bigint", DataTypes.BIGINT())
                .column("c_float", DataTypes.FLOAT())
                .column("c_double", DataTypes.DOUBLE().notNull())
                .column("c_decimal_small", DataTypes.DECIMAL(9, 2))
                .column("c_decimal_large", DataTypes.DECIMAL(38, 18))
                .column("c_varchar", DataTypes.VARCHAR(20))
                .column("c_string", DataTypes.STRING().notNull())
                .column("c_binary", DataTypes.BINARY(4))
                .column("c_varbinary", DataTypes.VARBINARY(7))
                .column("c_bytes", DataTypes.BYTES())
                .column("c_date", DataTypes.DATE())
                .column("c_time0", DataTypes.TIME(0))
                .column("c_time3", DataTypes.TIME(3))
                .column("c_timestamp0", DataTypes.TIMESTAMP(0))
                .column("c_timestamp3", DataTypes.TIMESTAMP(3).notNull())
                .column("c_timestamp6", DataTypes.TIMESTAMP(6))
                .column("c_ltz3", DataTypes.TIMESTAMP_LTZ(3))
                .column("c_ltz6", DataTypes.TIMESTAMP_LTZ(6))
                .column("c_ltz9", DataTypes.TIMESTAMP_LTZ(9))
                .column("c_variant", DataTypes.VARIANT())
                .column("c_variants", DataTypes.ARRAY(DataTypes.VARIANT()))
                .column(
                        "c_variant_map",
                        DataTypes.MAP(DataTypes.STRING().notNull(), DataTypes.VARIANT().notNull()))
                .column(
                        "c_variant_row",
                        DataTypes.ROW(
                                DataTypes.FIELD("v", DataTypes.VARIANT()),
                                DataTypes.FIELD("n", DataTypes.INT()),
                                DataTypes.FIELD("w", DataTypes.ARRAY(DataTypes.VARIANT()))))
                .column("c_array", DataTypes.ARRAY(DataTypes.STRING()))
                .column("c_array_nested", DataTypes.ARRAY(DataTypes.ARRAY(DataTypes.INT())))
                .column("c_map", DataTypes.MAP(DataTypes.INT().notNull(), DataTypes.TIMESTAMP(3)))
                .column(
                        "c_map_nested",
                        DataTypes.MAP(DataTypes.STRING().notNull(), nestedRow()).notNull());
    }

    private static DataType nestedRow() {
        return DataTypes.ROW(
                DataTypes.FIELD("a", DataTypes.INT()),
                DataTypes.FIELD("b", DataTypes.ARRAY(DataTypes.DECIMAL(20, 3))),
                DataTypes.FIELD(
                        "c",
                        DataTypes.ROW(
                                DataTypes.FIELD("d", DataTypes.VARCHAR(3)),
                                DataTypes.FIELD("e", DataTypes.TIMESTAMP_LTZ(9)))));
    }
}
