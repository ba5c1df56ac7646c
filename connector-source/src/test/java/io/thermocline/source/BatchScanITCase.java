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
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class BatchScanITCase {

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final String KEYED =
            "v STRING, id BIGINT NOT NULL, n INT, PRIMARY KEY (id) NOT ENFORCED";

    @TempDir Path directory;

    private TestWarehouse warehouse;

    @BeforeEach
    void openWarehouse() throws Exception {
        warehouse = TestWarehouse.in(directory);
    }

    @AfterEach
    void closeWarehouse() {
        warehouse.close();
    }

    @Test
    void mergesLakeAndHotTail() throws Exception {
        WarehouseTable table = keyedTable(3);
        table.write(row(1, "a", 10), row(2, "b", 20), row(3, "c", 30), row(4, "d", null));
        table.tier();
        table.write(row(2, "B", 21), delete(3, "c", 30), row(5, "e", 50));
        SqlSession session = SqlSession.batch().register("t", KEYED, table, "");

        assertThat(session.rows("SELECT id, v, n FROM t"))
                .containsExactlyInAnyOrder(
                        "+I[1, a, 10]", "+I[2, B, 21]", "+I[4, d, null]", "+I[5, e, 50]");
        // the superseded row matches, the present one does not, and the other way round
        assertThat(session.rows("SELECT id FROM t WHERE v = 'b'")).isEmpty();
        assertThat(session.rows("SELECT id FROM t WHERE v = 'B'")).containsExactly("+I[2]");
        assertThat(session.rows("SELECT n FROM t WHERE id = 2")).containsExactly("+I[21]");
        assertThat(session.rows("SELECT v FROM t WHERE id = 3")).isEmpty();
        assertThat(session.rows("SELECT id FROM t WHERE id > 3 AND v IN ('d', 'e')"))
                .containsExactlyInAnyOrder("+I[4]", "+I[5]");
        assertThat(session.rows("SELECT COUNT(*) FROM t")).containsExactly("+I[4]");
        assertThat(session.rows("SELECT COUNT(*) FROM t WHERE id > 100")).containsExactly("+I[0]");
        assertThat(session.rows("SELECT id FROM t ORDER BY id LIMIT 3"))
                .containsExactly("+I[1]", "+I[2]", "+I[4]");
        assertThat(session.rows("SELECT * FROM t LIMIT 2")).hasSize(2);
    }

    @Test
    void readsOneTierAlone() throws Exception {
        WarehouseTable table = keyedTable(2);
        table.write(row(1, "a", 1), row(2, "b", 2));
        table.tier();
        table.write(row(2, "B", 2), row(3, "c", 3));
        SqlSession session = SqlSession.batch().register("t", KEYED, table, "");

        assertThat(session.rows("SELECT v FROM t /*+ OPTIONS('scan.tier'='lake') */"))
                .containsExactlyInAnyOrder("+I[a]", "+I[b]");
        assertThat(session.rows("SELECT v FROM t /*+ OPTIONS('scan.tier'='hot') */"))
                .containsExactlyInAnyOrder("+I[a]", "+I[B]", "+I[c]");
    }

    @Test
    void readsAnEmptyTable() throws Exception {
        SqlSession session = SqlSession.batch().register("t", KEYED, keyedTable(2), "");
        assertThat(session.rows("SELECT * FROM t")).isEmpty();
        assertThat(session.rows("SELECT COUNT(*) FROM t")).containsExactly("+I[0]");
    }

    @Test
    void branchesOfOneQueryDoNotDisturbEachOther() throws Exception {
        WarehouseTable table = keyedTable(2);
        table.write(row(1, "a", 10), row(2, "b", 20));
        table.tier();
        table.write(row(2, "c", 30));
        SqlSession session = SqlSession.batch().register("t", KEYED, table, "");
        assertThat(
                        session.rows(
                                "SELECT v FROM t WHERE id = 1 UNION ALL"
                                        + " SELECT CAST(n AS STRING) FROM t WHERE v = 'c'"))
                .containsExactlyInAnyOrder("+I[a]", "+I[30]");
    }

    @Test
    void logTableHoldsEveryRowOnce() throws Exception {
        TestTable definition =
                new TestTable()
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("v", DataTypes.STRING());
        WarehouseTable table = warehouse.createTable("log", definition, List.of(), 2);
        table.write(log(1, "a"), log(2, "b"));
        table.tier();
        table.write(log(2, "b"), log(3, "c"));
        SqlSession session =
                SqlSession.batch().register("t", "id BIGINT NOT NULL, v STRING", table, "");

        assertThat(session.rows("SELECT * FROM t"))
                .containsExactlyInAnyOrder("+I[1, a]", "+I[2, b]", "+I[2, b]", "+I[3, c]");
        assertThat(session.rows("SELECT v FROM t WHERE id = 2"))
                .containsExactlyInAnyOrder("+I[b]", "+I[b]");
        assertThat(session.rows("SELECT id FROM t /*+ OPTIONS('scan.startup.mode'='latest') */"))
                .isEmpty();
    }

    @Test
    void refusesAStartWithinTheChangelogOfAPrimaryKeyTable() {
        SqlSession session = SqlSession.batch().register("t", KEYED, keyedTable(1), "");
        assertThatThrownBy(
                        () ->
                                session.rows(
                                        "SELECT * FROM t /*+"
                                                + " OPTIONS('scan.startup.mode'='latest') */"))
                .hasMessageContaining(
                        "Option 'scan.startup.mode'='latest' does not apply to a batch query on"
                                + " primary-key table db.t");
    }

    private WarehouseTable keyedTable(int buckets) {
        TestTable definition =
                new TestTable()
                        .column("v", DataTypes.STRING())
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("n", DataTypes.INT())
                        .primaryKey("id");
        return warehouse.createTable("t", definition, List.of("id"), buckets);
    }

    private static RowData row(long id, String value, Integer number) {
        return GenericRowData.of(StringData.fromString(value), id, number);
    }

    private static RowData delete(long id, String value, Integer number) {
        RowData row = row(id, value, number);
        row.setRowKind(RowKind.DELETE);
        return row;
    }

    private static RowData log(long id, String value) {
        return GenericRowData.of(id, StringData.fromString(value));
    }
}
