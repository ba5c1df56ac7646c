package io.thermocline.catalog;

import static io.thermocline.catalog.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What the catalog leaves to the lake, run for real. */
class LakeTablesITCase {

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(4)
                            .build());

    @TempDir private static Path warehouse;

    private TestSession session;

    // Environments of a test run on the cluster of the class; others would start one of their own.
    @BeforeEach
    void openSession() {
        session = TestSession.withStore(warehouse, new RecordingHotStore.Provider());
    }

    @Test
    void plainTables() {
        session.sql(
                "CREATE TABLE plain (a INT PRIMARY KEY NOT ENFORCED, b INT) DISTRIBUTED BY HASH(a) INTO 2 BUCKETS"
                        + " WITH ('hot.enabled' = 'false', 'merge-engine' = 'aggregation', 'fields.b.aggregate-function' = 'sum')");
        session.sql("INSERT INTO plain VALUES (1, 10), (2, 20)");
        session.sql("INSERT INTO plain VALUES (1, 5)");
        assertThat(session.sql("SELECT * FROM plain ORDER BY a"))
                .containsExactly(Row.of(1, 15), Row.of(2, 20));
        assertThat(session.sql("SELECT * FROM `plain$lake` ORDER BY a"))
                .containsExactly(Row.of(1, 15), Row.of(2, 20));
        assertThat(session.sql("SELECT COUNT(*) FROM `plain$snapshots`"))
                .containsExactly(Row.of(2L));
        // names that are also those of tables of the hot tier
        assertThat(session.sql("SELECT `bucket`, record_count FROM `plain$buckets`"))
                .extracting(row -> (long) row.getField(1))
                .isNotEmpty()
                .allSatisfy(count -> assertThat(count).isPositive());
        assertRefused(
                () -> session.sql("SELECT * FROM `plain$tiering`"),
                "table default.plain$tiering does not exist: default.plain is a plain lake table,"
                        + " and only the hot tier of a table knows its tiering");
        assertThat(session.catalog().tableExists(new ObjectPath("default", "plain$buckets")))
                .isTrue();
        assertThat(session.catalog().tableExists(new ObjectPath("default", "plain$reads")))
                .isFalse();
    }

    @Test
    void plainPartitions() {
        session.sql(
                "CREATE TABLE parts (a INT, dt DATE) PARTITIONED BY (dt) WITH ('hot.enabled' = 'false')");
        session.sql("INSERT INTO parts VALUES (1, DATE '2024-02-29'), (2, DATE '2024-03-01')");
        List<String> partitions = session.column("SHOW PARTITIONS parts");
        assertThat(partitions).hasSize(2).allSatisfy(text -> assertThat(text).startsWith("dt="));
        assertThat(session.column("SHOW PARTITIONS `parts$lake`")).isEqualTo(partitions);
        assertThat(session.sql("SELECT a FROM parts WHERE dt = DATE '2024-03-01'"))
                .containsExactly(Row.of(2));
    }

    @Test
    void lakeSideOfAHotTable() {
        session.sql("CREATE TABLE hot (a INT PRIMARY KEY NOT ENFORCED, b INT, c AS a + b)");
        assertThat(session.sql("SELECT * FROM `hot$lake`")).isEmpty();
        assertThat(session.sql("SELECT commit_kind FROM `hot$snapshots`"))
                .containsExactly(Row.of("APPEND"));
        assertThat(session.sql("SELECT COUNT(*) FROM `hot$files`")).containsExactly(Row.of(0L));
        assertThat(session.column("DESCRIBE `hot$lake`")).containsExactly("a", "b", "c");
        assertThat(session.text("SHOW CREATE TABLE `hot$lake`")).doesNotContain("thermocline.");
        assertRefused(
                () ->
                        session.sql(
                                "SELECT * FROM `hot` FOR SYSTEM_TIME AS OF TIMESTAMP '2024-01-01 00:00:00'"),
                "its hot tier has no time travel");
    }

    @Test
    void timeTravelOnTheLakeSide() {
        session.sql("CREATE TABLE past (a INT) WITH ('hot.enabled' = 'false')");
        session.sql("INSERT INTO past VALUES (1)");
        assertThat(
                        session.sql(
                                "SELECT * FROM `past$lake` FOR SYSTEM_TIME AS OF TIMESTAMP '2999-01-01 00:00:00'"))
                .containsExactly(Row.of(1));
    }

    @Test
    void createTableAsSelectOfAPlainTable() {
        session.sql(
                "CREATE TABLE copied WITH ('hot.enabled' = 'false') AS SELECT 1 AS x, 'a' AS y");
        assertThat(session.sql("SELECT * FROM copied")).containsExactly(Row.of(1, "a"));
    }

    @Test
    void viewsNeedAMetastoreThatKeepsThem() {
        session.sql("CREATE TABLE viewed (a INT) WITH ('hot.enabled' = 'false')");
        assertRefused(
                () -> session.sql("CREATE VIEW v AS SELECT * FROM viewed"),
                "cannot create view default.v: the paimon catalog of warehouse");
        session.sql("CREATE TEMPORARY VIEW v AS SELECT * FROM viewed");
        assertThat(session.sql("SELECT * FROM v")).isEmpty();
    }

    @Test
    void systemTablesOfTheLake() {
        session.sql("CREATE TABLE listed (a INT)");
        assertThat(
                        session.sql(
                                "SELECT DISTINCT table_name FROM sys.all_table_options WHERE table_name = 'listed'"))
                .containsExactly(Row.of("listed"));
    }

    @Test
    void compactionOfTheLake() {
        session.sql("CREATE TABLE compacted (a INT PRIMARY KEY NOT ENFORCED)");
        assertThat(session.sql("CALL sys.compact(`table` => 'default.compacted')")).hasSize(1);
        assertThat(session.sql("SELECT * FROM `compacted$lake`")).isEmpty();
    }
}
