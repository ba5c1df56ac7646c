package io.thermocline.catalog;

import static io.thermocline.catalog.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.lake.Attachment.State;
import io.thermocline.lake.LakeTableDefinition;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogPartitionSpec;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.DatabaseNotEmptyException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.FunctionNotExistException;
import org.apache.flink.table.catalog.exceptions.PartitionNotExistException;
import org.apache.flink.table.catalog.exceptions.TableAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.table.catalog.exceptions.TableNotPartitionedException;
import org.apache.flink.table.catalog.stats.CatalogColumnStatistics;
import org.apache.flink.table.catalog.stats.CatalogTableStatistics;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * DROP, RENAME, ALTER, partitions, statistics and procedures, with a hot store that takes notes.
 */
class ChangeTableTest {

    @TempDir private Path warehouse;

    private RecordingHotStore.Provider store;
    private TestSession session;
    private ThermoclineCatalog catalog;

    @BeforeEach
    void createTable() {
        store = new RecordingHotStore.Provider();
        session = TestSession.withStore(warehouse, store);
        catalog = session.catalog();
        session.sql("CREATE DATABASE db");
        session.sql("USE db");
        session.sql(
                "CREATE TABLE t (a INT COMMENT 'old', b STRING, p INT, PRIMARY KEY (p, a) NOT ENFORCED)"
                        + " PARTITIONED BY (p) WITH ('tiering.freshness' = '30 s', 'sink.parallelism' = '2')");
        session.sql(
                "CREATE TABLE plain (a INT, p INT) PARTITIONED BY (p) WITH ('hot.enabled' = 'false')");
    }

    @Test
    void ddlDoesNotSpeakToTheHotStore() {
        session.sql("SHOW CREATE TABLE t");
        session.sql("DESCRIBE t");
        session.tables().explainSql("SELECT * FROM plain");
        assertThat(store.calls()).isEmpty();
    }

    @Test
    void dropRemovesHotData() throws Exception {
        String id = tableId("t");
        session.sql("DROP TABLE t");
        assertThat(store.calls()).containsExactly("connect FAIL", "drop " + id, "close");
        assertThat(catalog.tableExists(path("t"))).isFalse();

        session.sql("CREATE TABLE t (a INT)");
        assertThat(tableId("t")).isNotEqualTo(id);
    }

    @Test
    void dropWorksWithoutAHotStore() {
        store.failWith(ErrorCode.STORE_UNREACHABLE);
        session.sql("DROP TABLE t");
        assertThat(session.column("SHOW TABLES")).containsExactly("plain");
        assertThat(store.calls()).containsExactly("connect FAIL");
    }

    @Test
    void dropWorksWhenTheHotStoreFails() {
        store.failWith(ErrorCode.STORE_ON_OTHER_HOST);
        session.sql("DROP TABLE t");
        assertThat(session.column("SHOW TABLES")).containsExactly("plain");
    }

    @Test
    void dropOfAPlainTableLeavesTheHotStoreAlone() {
        session.sql("DROP TABLE plain");
        assertThat(store.calls()).isEmpty();
    }

    @Test
    void dropOfAMissingTable() throws Exception {
        catalog.dropTable(path("no"), true);
        catalog.dropTable(new ObjectPath("nowhere", "no"), true);
        assertThatThrownBy(() -> catalog.dropTable(path("no"), false))
                .isInstanceOf(TableNotExistException.class)
                .hasMessage("Table (or view) db.no does not exist in Catalog tc.");
    }

    @Test
    void dropDatabase() throws Exception {
        String id = tableId("t");
        assertThatThrownBy(() -> catalog.dropDatabase("db", true, false))
                .isInstanceOf(DatabaseNotEmptyException.class)
                .hasMessage("Database db in catalog tc is not empty.");
        assertThat(store.calls()).isEmpty();
        catalog.dropDatabase("nowhere", true, false);
        assertThatThrownBy(() -> catalog.dropDatabase("nowhere", false, true))
                .isInstanceOf(DatabaseNotExistException.class)
                .hasMessage("Database nowhere does not exist in Catalog tc.");
        session.sql("USE `default`");
        session.sql("DROP DATABASE db CASCADE");
        assertThat(store.calls()).containsExactly("connect FAIL", "drop " + id, "close");
        assertThat(session.column("SHOW DATABASES")).containsExactly("default");
    }

    @Test
    void renameKeepsTheTableId() throws Exception {
        String id = tableId("t");
        session.sql("ALTER TABLE t RENAME TO u");
        assertThat(tableId("u")).isEqualTo(id);
        assertThat(session.column("SHOW TABLES")).containsExactly("plain", "u");
        assertThat(store.calls()).isEmpty();

        catalog.renameTable(path("no"), "x", true);
        assertThatThrownBy(() -> catalog.renameTable(path("no"), "x", false))
                .isInstanceOf(TableNotExistException.class)
                .hasMessage("Table (or view) db.no does not exist in Catalog tc.");
        assertThatThrownBy(() -> catalog.renameTable(path("u"), "plain", false))
                .isInstanceOf(TableAlreadyExistException.class)
                .hasMessage("Table (or view) db.plain already exists in Catalog tc.");
        assertRefused(
                () -> session.sql("ALTER TABLE u RENAME TO `u$lake`"),
                "cannot rename a table to db.u$lake");
    }

    @Test
    void changeableOptions() throws Exception {
        session.sql(
                "ALTER TABLE t SET ('tiering.freshness' = '5 s', 'scan.startup.mode' = 'earliest',"
                        + " 'hot.log.retention' = '3 d', 'file.format' = 'orc')");
        assertThat(definition("t").hotOptions())
                .containsEntry("tiering.freshness", "5 s")
                .containsEntry("scan.startup.mode", "earliest")
                .containsEntry("hot.log.retention", "3 d");
        assertThat(catalog.getTable(path("t")).getOptions())
                .containsEntry("tiering.freshness", "5 s")
                .containsEntry("file.format", "orc")
                .doesNotContainKey("thermocline.tiering.freshness");
        session.sql("ALTER TABLE t RESET ('tiering.freshness', 'sink.parallelism', 'file.format')");
        assertThat(catalog.getTable(path("t")).getOptions())
                .isEqualTo(Map.of("scan.startup.mode", "earliest", "hot.log.retention", "3 d"));
    }

    @Test
    void comments() throws Exception {
        session.sql("ALTER TABLE t MODIFY a INT COMMENT 'it''s new'");
        session.sql("ALTER TABLE t SET ('comment' = 'of the table')");
        CatalogBaseTable table = catalog.getTable(path("t"));
        assertThat(table.getComment()).isEqualTo("of the table");
        assertThat(table.getUnresolvedSchema().getColumns().get(0).getComment())
                .contains("it's new");
        assertThat(table.getOptions()).doesNotContainKey("comment");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SET ('tiering.freshnes' = '1 s') | Did you mean 'tiering.freshness'?",
                "SET ('tiering.freshness' = 'soon') | option 'tiering.freshness' = 'soon' of table db.t is not valid",
                "SET ('tiering.deletes' = 'position') | only Iceberg tables have the choice, and this one is a paimon table",
                "SET ('hot.enabled' = 'false') | options [scan.startup.mode] of table db.t cannot be set by the statement that takes its hot tier away",
                "SET ('hot.enabled' = 'true') | table db.t has a hot tier already. Set [scan.startup.mode] by a statement",
                "SET ('hot.enabled' = 'maybe') | option 'hot.enabled' = 'maybe' of table db.t is not valid",
                "RESET ('hot.enabled') | option 'hot.enabled' of table db.t cannot be reset. Set it to 'false'",
                "SET ('bucket' = '7') | cannot change option 'bucket' of table db.t",
                "SET ('bucket-key' = 'b') | cannot change option 'bucket-key' of table db.t",
                "SET ('merge-engine' = 'deduplicate') | cannot change option 'merge-engine' of table db.t",
                "SET ('changelog.image' = 'full') | cannot change option 'changelog.image' of table db.t",
                "SET ('thermocline.table-id' = 'x') | option 'thermocline.table-id' of table db.t is reserved",
                "RESET ('thermocline.table-id') | option 'thermocline.table-id' of table db.t is reserved",
                "SET ('sequence.field' = 'a') | rows arrive in the lake already merged",
                "SET ('sink.max-in-flight-bytes' = '1 b') | it must not be less than 'sink.buffer-flush.max-bytes'",
                "ADD c INT | cannot add column 'c' of table db.t",
                "ADD c AS a + 1 | cannot add column 'c' of table db.t",
                "DROP b | cannot drop column 'b' of table db.t",
                "RENAME b TO c | cannot rename column 'b' of table db.t",
                "MODIFY a BIGINT | cannot change the type of column 'a' of table db.t",
                "MODIFY b STRING FIRST | cannot change the position of column 'b' of table db.t",
                "DROP PRIMARY KEY | cannot change the primary key of table db.t",
                "DROP DISTRIBUTION | cannot change the distribution of table db.t",
                "ADD PARTITION (p = 1) | cannot add a partition to table db.t: it has a hot tier",
                "DROP PARTITION (p = 1) | cannot drop a partition of table db.t: it has a hot tier",
            })
    void otherChangesAreRefused(String change, String message) throws Exception {
        CatalogBaseTable before = catalog.getTable(path("t"));
        assertRefused(
                () ->
                        session.sql(
                                "ALTER TABLE t "
                                        + (change.startsWith("SET (")
                                                ? change.replace(
                                                        "SET (",
                                                        "SET ('scan.startup.mode' = 'latest', ")
                                                : change)),
                message);
        CatalogBaseTable after = catalog.getTable(path("t"));
        assertThat(after.getOptions()).isEqualTo(before.getOptions());
        assertThat(after.getUnresolvedSchema()).isEqualTo(before.getUnresolvedSchema());
    }

    @Test
    void alterOfAMissingTable() throws Exception {
        CatalogTable any =
                CatalogTable.newBuilder()
                        .schema(Schema.newBuilder().column("a", "INT").build())
                        .options(Map.of())
                        .build();
        catalog.alterTable(path("no"), any, List.of(), true);
        catalog.alterTable(path("no"), any, true);
        assertThatThrownBy(() -> catalog.alterTable(path("no"), any, List.of(), false))
                .isInstanceOf(TableNotExistException.class)
                .hasMessage("Table (or view) db.no does not exist in Catalog tc.");
    }

    @Test
    void plainTablesChangeAsTheLakeAllows() throws Exception {
        session.sql("ALTER TABLE plain ADD c STRING");
        session.sql("ALTER TABLE plain SET ('snapshot.num-retained.max' = '20')");
        assertThat(catalog.getTable(path("plain")).getOptions())
                .containsEntry("snapshot.num-retained.max", "20");
        assertThat(definition("plain").rowType().getFieldNames()).containsExactly("a", "p", "c");
        assertRefused(
                () -> session.sql("ALTER TABLE plain SET ('thermocline.table-id' = 'x')"),
                "option 'thermocline.table-id' of table db.plain is reserved");
    }

    @Test
    void logTableGetsItsHotTierWithoutTheHotStore() throws Exception {
        session.sql("ALTER TABLE plain SET ('hot.enabled' = 'true', 'bucket' = '3')");
        assertThat(store.calls()).isEmpty();
        assertThat(definition("plain").attachment().state()).isEqualTo(State.ATTACHED);
        assertThat(definition("plain").bucketCount()).isEqualTo(3);
        assertThat(catalog.getTable(path("plain")).getOptions()).isEmpty();
        assertRefused(
                () -> session.sql("ALTER TABLE plain ADD c STRING"),
                "cannot add column 'c' of table db.plain");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'merge-engine' = 'aggregation' | option 'merge-engine'='aggregation' must be 'deduplicate'",
                "'merge-engine' = 'first-row' | option 'merge-engine'='first-row' must be 'deduplicate'",
                "'changelog-producer' = 'input' | option 'changelog-producer'='input' must be 'none'",
                "'sequence.field' = 'v' | option 'sequence.field'='v' cannot be used",
                "'rowkind.field' = 'k' | option 'rowkind.field'='k' cannot be used",
                "'deletion-vectors.enabled' = 'true' | its option 'deletion-vectors.enabled' = 'true' does not go with one",
                "'bucket' = '-2' | its buckets are of the kind POSTPONE_MODE ('bucket' = '-2')",
                "'fields.v.default-value' = '1' | its option 'fields.v.default-value' = '1' does not go with one",
            })
    void tablesThatTheHotTierWouldChangeGetNone(String option, String message) throws Exception {
        session.sql(
                ("CREATE TABLE other (id INT, v INT, k STRING, PRIMARY KEY (id) NOT ENFORCED)"
                                + " WITH ('hot.enabled' = 'false', %s%s)")
                        .formatted(option.contains("bucket") ? "" : "'bucket' = '1', ", option));
        assertRefused(() -> session.sql("ALTER TABLE other SET ('hot.enabled' = 'true')"), message);
        assertThat(definition("other").attachment().epoch()).isZero();
        assertThat(definition("other").hotOptions()).isEmpty();
        assertThat(store.calls()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'bucket' = '2' | its number of buckets is that of the lake, and 'bucket' cannot be set",
                "'tiering.freshness' = 'soon' | option 'tiering.freshness' = 'soon' of table db.other is not valid",
                "'tiering.deletes' = 'position' | option 'tiering.deletes' = 'position' of table db.other is not valid: only Iceberg tables have the choice, and this one is a paimon table",
                "'merge-engine' = 'deduplicate' | option 'merge-engine' of table db.other cannot be set together with",
                "'snapshot.num-retained.max' = '9' | option 'snapshot.num-retained.max' of table db.other cannot be set together with",
            })
    void optionsThatCannotComeWithAHotTier(String option, String message) throws Exception {
        session.sql(
                "CREATE TABLE other (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED)"
                        + " WITH ('hot.enabled' = 'false', 'bucket' = '1')");
        assertRefused(
                () ->
                        session.sql(
                                "ALTER TABLE other SET ('hot.enabled' = 'true', %s)"
                                        .formatted(option)),
                message);
        assertThat(definition("other").attachment().epoch()).isZero();
    }

    @Test
    void floatingKeysOfExistingTablesAreRefused() {
        session.sql(
                "CREATE TABLE other (id DOUBLE, v INT, PRIMARY KEY (id) NOT ENFORCED)"
                        + " WITH ('hot.enabled' = 'false', 'bucket' = '1')");
        assertRefused(
                () -> session.sql("ALTER TABLE other SET ('hot.enabled' = 'true')"),
                "cannot give a hot tier to table db.other: column 'id' has type DOUBLE NOT NULL, which the"
                        + " lake (Paimon) does not support as a primary-key column of a table that has rows");
    }

    @Test
    void virtualTablesAreReadOnly() {
        assertThat(catalog.tableExists(path("t$lake"))).isTrue();
        assertThat(catalog.tableExists(path("t$snapshots"))).isTrue();
        assertThat(catalog.tableExists(path("t$lake$snapshots"))).isTrue();
        assertThat(catalog.tableExists(path("no$lake"))).isFalse();
        assertThat(catalog.tableExists(path("t$"))).isFalse();
        for (String statement :
                List.of(
                        "DROP TABLE `t$lake`",
                        "ALTER TABLE `t$lake` SET ('file.format' = 'orc')",
                        "ALTER TABLE `t$lake` RENAME TO u",
                        "ALTER TABLE `t$lake` ADD PARTITION (p = 1)",
                        "ALTER TABLE `t$lake` DROP PARTITION (p = 1)",
                        "INSERT INTO `t$lake` VALUES (1, 'x', 1)",
                        "INSERT OVERWRITE `t$lake` VALUES (1, 'x', 1)",
                        "INSERT INTO `plain$lake` VALUES (1, 1)")) {
            assertRefused(
                    () -> session.sql(statement),
                    "$lake: a name with '$' stands for a read-only view of another table. Use db.");
        }
        for (String name : List.of("no$lake", "t$", "$lake", "t$nothing", "t$a$b$c", "t$a$b")) {
            assertThatThrownBy(() -> catalog.getTable(path(name)))
                    .isInstanceOf(TableNotExistException.class)
                    .hasMessage(
                            "Table (or view) db.%s does not exist in Catalog tc.".formatted(name));
        }
    }

    @Test
    void partitionsOfTheLake() throws Exception {
        assertThat(catalog.listPartitions(path("t"))).isEmpty();
        assertThat(catalog.listPartitions(path("t$lake"))).isEmpty();
        CatalogPartitionSpec spec = new CatalogPartitionSpec(Map.of("p", "1"));
        assertThat(catalog.partitionExists(path("t"), spec)).isFalse();
        assertThat(catalog.partitionExists(path("no"), spec)).isFalse();
        assertThatThrownBy(() -> catalog.getPartition(path("t"), spec))
                .isInstanceOf(PartitionNotExistException.class)
                .hasMessageContaining("of table db.t in catalog tc does not exist");
        assertThatThrownBy(() -> catalog.listPartitionsByFilter(path("t"), List.of()))
                .isExactlyInstanceOf(UnsupportedOperationException.class)
                .hasMessage("partitions of db.t cannot be listed by a filter");
        session.sql("CREATE TABLE whole (a INT)");
        assertThatThrownBy(() -> catalog.listPartitions(path("whole")))
                .isInstanceOf(TableNotPartitionedException.class)
                .hasMessage("Table db.whole in catalog tc is not partitioned.");
        assertThatThrownBy(() -> catalog.listPartitions(path("no")))
                .isInstanceOf(TableNotExistException.class)
                .hasMessage("Table (or view) db.no does not exist in Catalog tc.");
    }

    @Test
    void statisticsAreUnknown() throws Exception {
        assertThat(catalog.getTableStatistics(path("t"))).isEqualTo(CatalogTableStatistics.UNKNOWN);
        assertThat(catalog.getTableColumnStatistics(path("t")))
                .isEqualTo(CatalogColumnStatistics.UNKNOWN);
        assertThatThrownBy(
                        () ->
                                catalog.alterTableStatistics(
                                        path("t"), new CatalogTableStatistics(1, 1, 1, 1), false))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("cannot store statistics of table db.t");
    }

    @Test
    void timeTravelIsRefused() {
        assertRefused(
                () ->
                        session.tables()
                                .explainSql(
                                        "SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP '2024-01-01 00:00:00'"),
                "cannot read table db.t as of a timestamp",
                "Read db.t$lake as of the timestamp");
    }

    @Test
    void functions() {
        ObjectPath missing = path("f");
        assertThatThrownBy(() -> catalog.getFunction(missing))
                .isInstanceOf(FunctionNotExistException.class)
                .hasMessage("Function db.f does not exist in Catalog tc.");
        assertThat(catalog.functionExists(missing)).isFalse();
        assertThatThrownBy(() -> catalog.dropFunction(missing, false))
                .isInstanceOf(FunctionNotExistException.class)
                .hasMessage("Function db.f does not exist in Catalog tc.");
        assertThat(session.sql("SELECT UPPER('a')")).isNotNull();
    }

    @Test
    void tierProcedure() throws Exception {
        String id = tableId("t");
        Row expected = Row.of(7L, Map.of(0, 11L, 1, 12L), 13L, 2);
        assertThat(session.sql("CALL sys.tier('db.t')")).containsExactly(expected);
        assertThat(session.sql("CALL sys.tier(`table` => 'db.t')")).containsExactly(expected);
        assertThat(store.calls())
                .containsExactly(
                        "connect START",
                        "tier db.t " + id,
                        "close",
                        "connect START",
                        "tier db.t " + id,
                        "close");
        assertRefused(
                () -> session.sql("CALL sys.tier('db.no')"),
                "table db.no does not exist in the Paimon warehouse");
        assertRefused(
                () -> session.sql("CALL sys.tier('db.plain')"),
                "cannot tier table db.plain: it is a plain lake table without a hot tier");
        assertRefused(
                () -> session.sql("CALL sys.tier('t')"),
                "argument 'table' = 't' of procedure sys.tier is not valid: it must be 'database.table'");
        assertRefused(() -> session.sql("CALL sys.tier('db.t$lake')"), "cannot tier db.t$lake");
    }

    @Test
    void alterTellsTheHotStoreThatRuns() {
        String id = tableId("t");
        session.sql("ALTER TABLE t SET ('tiering.freshness' = '7 s')");
        assertThat(store.calls()).containsExactly("connect FAIL", "open db.t " + id, "close");
        session.sql("ALTER TABLE plain SET ('file.format' = 'orc')");
        assertThat(store.calls()).hasSize(3);

        store.failWith(ErrorCode.STORE_UNREACHABLE);
        session.sql("ALTER TABLE t RESET ('tiering.freshness')");
        assertThat(definition("t").hotOptions()).doesNotContainKey("tiering.freshness");
    }

    @Test
    void proceduresTakeNamesWithDots() {
        session.sql("CREATE DATABASE `my.db`");
        session.sql("CREATE TABLE `my.db`.`a.b` (id INT)");
        String id =
                catalog.lake()
                        .table(new ObjectPath("my.db", "a.b"))
                        .definition()
                        .tableId()
                        .orElseThrow();
        session.sql("CALL sys.tier('`my.db`.`a.b`')");
        assertThat(store.calls()).containsExactly("connect START", "tier my.db.a.b " + id, "close");
        for (String procedure : List.of("tier", "verify")) {
            assertRefused(
                    () -> session.sql("CALL sys.%s('my.db.a.b')".formatted(procedure)),
                    ("argument 'table' = 'my.db.a.b' of procedure sys.%s is not valid: it must be"
                                    + " 'database.table', with backticks around a name that has a dot:"
                                    + " '`my.db`.`my.table`'")
                            .formatted(procedure));
        }
        assertRefused(
                () -> session.sql("CALL sys.tier('`my.db`.`no')"),
                "argument 'table' = '`my.db`.`no' of procedure sys.tier is not valid");
        assertRefused(
                () -> session.sql("CALL sys.tier('`my.db`.b')"),
                "table my.db.b does not exist in the Paimon warehouse");
    }

    @Test
    void procedures() {
        assertThat(session.column("SHOW PROCEDURES IN sys")).contains("tier", "compact");
        assertThat(session.column("SHOW PROCEDURES")).isEmpty();
        assertRefused(
                () -> session.sql("CALL sys.rollback_to('db.t', 1)"),
                "procedure sys.rollback_to of the lake is not available here");
        assertRefused(() -> session.sql("CALL sys.nothing('db.t')"), "nothing");
    }

    private static ObjectPath path(String table) {
        return new ObjectPath("db", table);
    }

    private String tableId(String table) {
        return definition(table).tableId().orElseThrow();
    }

    private LakeTableDefinition definition(String table) {
        return catalog.lake().table(path(table)).definition();
    }
}
