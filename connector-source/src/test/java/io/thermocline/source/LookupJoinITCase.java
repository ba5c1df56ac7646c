package io.thermocline.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.lake.conformance.TestTable;
import io.thermocline.unionread.testing.TestWarehouse;
import io.thermocline.unionread.testing.WarehouseTable;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LookupJoinITCase {

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final String COLUMNS =
            "price DOUBLE, line INT NOT NULL, customer BIGINT NOT NULL, `day` DATE NOT NULL,"
                    + " note STRING, PRIMARY KEY (`day`, customer, line) NOT ENFORCED";

    @TempDir Path directory;

    private TestWarehouse warehouse;
    private WarehouseTable table;

    @BeforeEach
    void fillTable() throws Exception {
        warehouse = TestWarehouse.in(directory);
        TestTable definition =
                new TestTable()
                        .column("price", DataTypes.DOUBLE())
                        .column("line", DataTypes.INT().notNull())
                        .column("customer", DataTypes.BIGINT().notNull())
                        .column("day", DataTypes.DATE().notNull())
                        .column("note", DataTypes.STRING())
                        .primaryKey("day", "customer", "line")
                        .partitionedBy("day");
        table = warehouse.createTable("dim", definition, List.of("customer"), 3);
        table.write(
                row(1.5, 1, 7, 0, "first"),
                row(2.5, 2, 7, 0, "second"),
                row(3.5, 1, 8, 0, "third"),
                row(4.5, 1, 7, 1, null));
        // lookups also find what was tiered
        table.tier();
        table.write(row(2.75, 2, 7, 0, "second, changed"));
    }

    @AfterEach
    void closeWarehouse() {
        warehouse.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ", 'lookup.async' = 'false'",
                ", 'lookup.cache' = 'PARTIAL', 'lookup.partial-cache.max-rows' = '100'",
                ", 'lookup.async' = 'false', 'lookup.cache' = 'PARTIAL',"
                        + " 'lookup.partial-cache.max-rows' = '100'"
            })
    void findsRowsByTheWholeKey(String options) throws Exception {
        assertThat(
                        session(options)
                                .rows(
                                        join(
                                                "p.n, d.note, d.price",
                                                "d.`day` = p.`day` AND d.customer = p.customer AND"
                                                        + " d.line = p.line")))
                .containsExactlyInAnyOrder(
                        "+I[1, first, 1.5]",
                        "+I[2, second, changed, 2.75]",
                        "+I[3, null, null]",
                        "+I[4, null, null]");
    }

    @Test
    void findsRowsByPrefixesConstantsAndFilters() throws Exception {
        SqlSession session = session("");
        assertThat(
                        session.rows(
                                join(
                                        "p.n, d.line",
                                        "d.customer = p.customer AND d.`day` = p.`day`")))
                .containsExactlyInAnyOrder(
                        "+I[1, 1]",
                        "+I[1, 2]",
                        "+I[2, 1]",
                        "+I[2, 2]",
                        "+I[3, null]",
                        "+I[4, null]");
        // the prefix does not tell the bucket
        assertThat(session.rows(join("p.n, d.customer, d.line", "d.`day` = DATE '1970-01-02'")))
                .contains("+I[1, 7, 1]", "+I[4, 7, 1]")
                .hasSize(4);
        // equality beyond the prefix, on a key column and on another one
        assertThat(
                        session.rows(
                                join(
                                        "p.n, d.customer",
                                        "d.`day` = p.`day` AND d.line = p.line AND d.note ="
                                                + " 'third'")))
                .containsExactlyInAnyOrder("+I[1, 8]", "+I[2, null]", "+I[3, 8]", "+I[4, null]");
        // a predicate that was pushed into the source still counts
        assertThat(
                        session.rows(
                                join(
                                                "p.n, d.line",
                                                "d.customer = p.customer AND d.`day` = p.`day` AND"
                                                        + " d.price > 2")
                                        + " WHERE p.n = 1"))
                .containsExactly("+I[1, 2]");
    }

    @Test
    void namesTheUsablePrefixes() {
        assertThatThrownBy(() -> session("").rows(join("p.n, d.note", "d.customer = p.customer")))
                .hasStackTraceContaining(
                        "must cover a prefix of its key, one of [[day], [day, customer], [day,"
                                + " customer, line]]");
    }

    @Test
    void refusesAFullCache() {
        assertThatThrownBy(
                        () ->
                                session(", 'lookup.cache' = 'FULL'")
                                        .rows(join("p.n, d.note", "d.`day` = p.`day`")))
                .hasStackTraceContaining("Option 'lookup.cache'='FULL' is not supported by table");
    }

    private SqlSession session(String options) {
        SqlSession session = SqlSession.streaming().register("dim", COLUMNS, table, options);
        session.tables()
                .executeSql(
                        "CREATE TEMPORARY VIEW probe AS SELECT *, PROCTIME() AS pt FROM (VALUES"
                                + " (1, DATE '1970-01-01', CAST(7 AS BIGINT), 1),"
                                + " (2, DATE '1970-01-01', CAST(7 AS BIGINT), 2),"
                                + " (3, DATE '1970-01-01', CAST(9 AS BIGINT), 1),"
                                + " (4, DATE '2000-01-01', CAST(7 AS BIGINT), 1))"
                                + " AS p(n, `day`, customer, line)");
        return session;
    }

    private static String join(String columns, String condition) {
        return "SELECT "
                + columns
                + " FROM probe AS p LEFT JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d ON "
                + condition;
    }

    private static RowData row(double price, int line, long customer, int day, String note) {
        return GenericRowData.of(
                price, line, customer, day, note == null ? null : StringData.fromString(note));
    }
}
