package io.thermocline.sink.testkit;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.lake.BucketFunction;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;

/** Tables {@code (name STRING, id BIGINT)}: the key is not the first column. */
public final class TestTables {

    /** Columns of all of them. */
    public static final RowType ROW_TYPE =
            RowType.of(
                    new LogicalType[] {new VarCharType(VarCharType.MAX_LENGTH), new BigIntType()},
                    new String[] {"name", "id"});

    private TestTables() {}

    public static HotTableSpec primaryKeyTable(int buckets) {
        return spec(List.of("id"), List.of("id"), buckets);
    }

    public static HotTableSpec logTable(int buckets) {
        return spec(List.of(), List.of(), buckets);
    }

    /** {@code id} modulo the number of buckets. */
    public static BucketFunction modulo(int buckets) {
        return key -> (int) Math.floorMod(key.getLong(0), (long) buckets);
    }

    public static RowData row(RowKind kind, Long id, String name) {
        return GenericRowData.ofKind(kind, StringData.fromString(name), id);
    }

    /** {@code +I[7, ann]}. */
    public static String print(RowData row) {
        return "%s[%s, %s]"
                .formatted(
                        row.getRowKind().shortString(),
                        row.isNullAt(1) ? null : row.getLong(1),
                        row.isNullAt(0) ? null : row.getString(0));
    }

    private static HotTableSpec spec(
            List<String> primaryKey, List<String> bucketKeys, int buckets) {
        return new HotTableSpec(
                new ObjectPath("db", "t"),
                "00000000-0000-0000-0000-000000000001",
                0,
                ROW_TYPE,
                primaryKey,
                List.of(),
                bucketKeys,
                buckets,
                Map.of());
    }
}
