package io.thermocline.catalog;

import static io.thermocline.catalog.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.apache.flink.table.api.EnvironmentSettings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sources and sinks that statements get, with and without the catalog; planned, not run. */
class PlanningTest {

    @TempDir private Path warehouse;

    private RecordingHotStore.Provider store;
    private TestSession session;

    @BeforeEach
    void createTables() {
        store = new RecordingHotStore.Provider();
        session = TestSession.withStore(warehouse, store);
        session.sql(
                "CREATE TABLE t (a INT, b STRING, PRIMARY KEY (a) NOT ENFORCED)"
                        + " DISTRIBUTED BY HASH(a) INTO 2 BUCKETS WITH ('scan.tier' = 'union')");
        session.sql("CREATE TABLE plain (a INT, b STRING) WITH ('hot.enabled' = 'false')");
    }

    @Test
    void hotTablesAreReadAndWrittenByUsWithoutAskingTheHotStore() {
        assertThat(explain("SELECT * FROM t")).contains("table=[[tc, default, t");
        assertThat(explain("SELECT COUNT(*) FROM t WHERE a = 1")).contains("tc, default, t");
        assertThat(explain("INSERT INTO t SELECT a, b FROM plain"))
                .contains("Sink(table=[tc.default.t]");
        assertThat(
                        explain(
                                "SELECT * FROM t /*+ OPTIONS('scan.tier'='hot', 'scan.parallelism'='1') */"))
                .contains("hints=[[[OPTIONS options:{scan.tier=hot, scan.parallelism=1}]]]");
        assertThat(store.calls()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'scan.teir'='hot' | unknown option 'scan.teir' of table default.t. Did you mean 'scan.tier'?",
                "'scan.tier'='warm' | option 'scan.tier' = 'warm' of table default.t is not valid",
                "'bucket'='3' | option 'bucket' = '3' of table default.t cannot be given by a statement",
                "'hot.enabled'='false' | option 'hot.enabled' = 'false' of table default.t cannot be given by a statement",
                "'tiering.freshness'='1 s' | option 'tiering.freshness' = '1 s' of table default.t cannot be given by a statement",
                "'thermocline.table-id'='x' | option 'thermocline.table-id' of table default.t is reserved",
            })
    void wrongHintsAreRefused(String hint, String message) {
        assertRefused(() -> explain("SELECT * FROM t /*+ OPTIONS(" + hint + ") */"), message);
    }

    @Test
    void plainTablesAndVirtualTablesAreTheLakes() {
        assertThat(explain("SELECT * FROM plain")).contains("tc, default, plain");
        assertThat(explain("INSERT INTO plain VALUES (1, 'x')")).contains("tc.default.plain");
        assertThat(explain("SELECT * FROM `t$lake`")).contains("t$lake");
        assertThat(explain("SELECT snapshot_id FROM `t$snapshots`")).contains("t$snapshots");
        assertThat(explain("SELECT snapshot_id FROM `t$lake$snapshots`"))
                .contains("t$lake$snapshots");
        assertThat(store.calls()).isEmpty();
    }

    @Test
    void temporaryTableWithoutACatalog() {
        TestSession other = TestSession.empty(EnvironmentSettings.inBatchMode());
        other.sql(
                temporary("a INT, b STRING, PRIMARY KEY (a) NOT ENFORCED", ", 'scan.tier'='lake'"));
        assertThat(other.tables().explainSql("SELECT * FROM tmp")).contains("tmp");
        assertThat(other.tables().explainSql("INSERT INTO tmp VALUES (1, 'x')")).contains("tmp");
        assertRefused(
                () ->
                        other.tables()
                                .explainSql("SELECT * FROM tmp /*+ OPTIONS('scan.tiers'='hot') */"),
                "unknown option 'scan.tiers' of temporary table"
                        + " default_catalog.default_database.tmp. Did you mean 'scan.tier'?");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a INT, b STRING | the primary key declared for table default.t, [], is not the one that it has: [a]",
                "a BIGINT, b STRING, PRIMARY KEY (a) NOT ENFORCED | the columns declared for table default.t",
                "b STRING, a INT, PRIMARY KEY (a) NOT ENFORCED | the columns declared for table default.t",
            })
    void temporaryTableMustDeclareTheSameColumns(String columns, String message) {
        TestSession other = TestSession.empty(EnvironmentSettings.inBatchMode());
        other.sql(temporary(columns, ""));
        assertRefused(() -> other.tables().explainSql("SELECT * FROM tmp"), message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'warehous'='x' | unknown option 'warehous' of temporary table default_catalog.default_database.tmp. Did you mean 'warehouse'?",
                "'lak'='iceberg' | Did you mean 'lake'?",
                "'bukcet'='4' | unknown option 'bukcet' of temporary table default_catalog.default_database.tmp. Did you mean 'bucket'?",
                "'lookup.cache'='PARTIAL' | set 'lookup.partial-cache.max-rows', 'lookup.partial-cache.expire-after-write' or 'lookup.partial-cache.expire-after-access' too",
                "'server.hot-directory'='hot' | option 'server.hot-directory' must be an absolute path on a local disk, such as '/var/lib/thermocline/hot', but is 'hot'",
                "'engine'='kafka' | only 'local' is supported",
                "'lake'='hudi' | lakes on the class path are [iceberg, paimon]",
                "'server.adress'='x' | Did you mean 'server.address'?",
                "'bucket'='4' | option 'bucket' = '4' of table default.t cannot be given by a statement",
                "'table'='t' | option 'table' = 't' of temporary table default_catalog.default_database.tmp is not valid: it must be 'database.table'",
                "'table'='a.b.c' | with backticks around a name that has a dot: '`my.db`.`my.table`'",
                "'tabel'='default.t' | temporary table default_catalog.default_database.tmp needs option 'table': the table of the warehouse that it stands for, such as 'db.t'. Did you mean it with 'tabel'?",
                "'table'='default.no' | Table default.no does not exist",
                "'table'='default.plain' | table default.plain of warehouse",
            })
    void wrongOptionsOfATemporaryTableAreRefused(String option, String message) {
        TestSession other = TestSession.empty(EnvironmentSettings.inBatchMode());
        other.sql(
                option.startsWith("'tab")
                        ? temporary("a INT, b STRING, PRIMARY KEY (a) NOT ENFORCED", "")
                                .replace("'table'='default.t'", option)
                        : temporary(
                                "a INT, b STRING, PRIMARY KEY (a) NOT ENFORCED", ", " + option));
        assertRefused(() -> other.tables().explainSql("SELECT * FROM tmp"), message);
    }

    @Test
    void temporaryTableNeedsAWarehouse() {
        TestSession other = TestSession.empty(EnvironmentSettings.inBatchMode());
        other.sql(
                "CREATE TEMPORARY TABLE tmp (a INT) WITH ('connector'='thermocline', 'table'='default.t')");
        assertRefused(
                () -> other.tables().explainSql("SELECT * FROM tmp"),
                "temporary table default_catalog.default_database.tmp needs option 'warehouse'");
        other.sql(
                "CREATE TEMPORARY TABLE wrong (a INT) WITH ('connector'='thermocline', 'warehous'='x', 'table'='default.t')");
        assertRefused(
                () -> other.tables().explainSql("SELECT * FROM wrong"),
                "needs option 'warehouse': a directory or URI, such as file:///data/warehouse. Did you"
                        + " mean it with 'warehous'?");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INSERT OVERWRITE t VALUES (1, 'x') | INSERT OVERWRITE is not supported for table default.t, which has a hot tier: INSERT INTO replaces rows by their primary key",
                "UPDATE t SET b = 'x' WHERE a = 1 | UPDATE is not supported for table default.t, which has a hot tier: INSERT INTO … SELECT replaces rows by their primary key",
                "DELETE FROM t WHERE a = 1 | DELETE is not supported for table default.t, which has a hot tier: INSERT INTO from a changelog deletes the rows that it deletes",
                "TRUNCATE TABLE t | TRUNCATE TABLE is not supported for table default.t, which has a hot tier: drop the table and create it again",
            })
    void statementsThatTheHotTierCannotDoAreRefused(String statement, String message) {
        assertRefused(() -> session.sql(statement), message);
        assertThat(store.calls()).isEmpty();
    }

    @Test
    void aWatermarkIsNoOtherType() {
        session.sql(
                "CREATE TABLE w (a INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)");
        assertThat(explain("SELECT * FROM w")).contains("tc, default, w");
        assertThat(explain("INSERT INTO w SELECT * FROM w")).contains("tc.default.w");
    }

    @Test
    void temporaryTablesOfOtherConnectorsWorkInTheCatalog() {
        session.sql(
                "CREATE TEMPORARY TABLE gen (a INT, b STRING) WITH ('connector'='datagen', 'number-of-rows'='3')");
        assertThat(explain("INSERT INTO t SELECT * FROM gen")).contains("gen");
    }

    private String explain(String statement) {
        return session.tables().explainSql(statement);
    }

    private String temporary(String columns, String options) {
        return "CREATE TEMPORARY TABLE tmp (%s) WITH ('connector'='thermocline', 'warehouse'='%s', 'table'='default.t'%s)"
                .formatted(columns, warehouse.toUri(), options);
    }
}
