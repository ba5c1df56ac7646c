package io.thermocline.catalog;

import static io.thermocline.catalog.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.lake.LakeTableDefinition;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.TableAlreadyExistException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** CREATE TABLE through SQL: what is stored, what is shown, what is refused. */
class CreateTableTest {

    @TempDir private static Path warehouse;

    private static TestSession session;
    private static int databases;

    private String database;

    @BeforeAll
    static void openSession() {
        session = TestSession.batch(warehouse);
    }

    @BeforeEach
    void useNewDatabase() {
        database = "db" + databases++;
        session.sql("CREATE DATABASE " + database);
        session.sql("USE " + database);
    }

    @Test
    void everythingOfTheDefinitionComesBack() {
        session.sql(
                """
                CREATE TABLE t (
                  v DECIMAL(10, 2) COMMENT 'it''s a
                two-line comment',
                  region STRING,
                  twice AS v * 2 COMMENT 'computed',
                  id BIGINT,
                  at_time TIMESTAMP(3),
                  WATERMARK FOR at_time AS at_time - INTERVAL '5' SECOND,
                  PRIMARY KEY (id, region) NOT ENFORCED
                ) COMMENT 'table''s
                comment'
                DISTRIBUTED BY HASH(id) INTO 4 BUCKETS
                PARTITIONED BY (region)
                WITH ('tiering.freshness' = '10 s', 'scan.startup.mode' = 'latest', 'file.format' = 'orc')
                """);

        LakeTableDefinition definition = definition("t");
        assertThat(definition.primaryKey()).containsExactly("id", "region");
        assertThat(definition.partitionKeys()).containsExactly("region");
        assertThat(definition.bucketKeys()).containsExactly("id");
        assertThat(definition.bucketCount()).isEqualTo(4);
        assertThat(UUID.fromString(definition.tableId().orElseThrow())).isNotNull();
        assertThat(definition.hotOptions())
                .containsEntry("tiering.freshness", "10 s")
                .containsEntry("scan.startup.mode", "latest");
        assertThat(definition.rowType().getFieldNames())
                .containsExactly("v", "region", "id", "at_time");

        String shown = session.text("SHOW CREATE TABLE t");
        assertThat(shown)
                .isEqualTo(
                        """
                        CREATE TABLE `tc`.`%s`.`t` (
                          `v` DECIMAL(10, 2) COMMENT 'it''s a
                        two-line comment',
                          `region` VARCHAR(2147483647) NOT NULL,
                          `twice` AS `v` * 2 COMMENT 'computed',
                          `id` BIGINT NOT NULL,
                          `at_time` TIMESTAMP(3),
                          WATERMARK FOR `at_time` AS `at_time` - INTERVAL '5' SECOND,
                          CONSTRAINT `PK_id_region` PRIMARY KEY (`id`, `region`) NOT ENFORCED
                        )
                        COMMENT 'table''s
                        comment'
                        DISTRIBUTED BY HASH(`id`) INTO 4 BUCKETS
                        PARTITIONED BY (`region`)
                        WITH (
                          'file.format' = 'orc',
                          'scan.startup.mode' = 'latest',
                          'tiering.freshness' = '10 s'
                        )
                        """
                                .formatted(database));

        session.sql(shown.replace("`t`", "`again`"));
        assertThat(session.text("SHOW CREATE TABLE again"))
                .isEqualTo(shown.replace("`t`", "`again`"));
        assertThat(definition("again").tableId()).isNotEqualTo(definition.tableId());
    }

    @Test
    void bucketsComeFromOptionsToo() {
        session.sql(
                "CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (a, b) NOT ENFORCED)"
                        + " WITH ('bucket' = '3', 'bucket-key' = 'b')");
        assertThat(definition("t").bucketKeys()).containsExactly("b");
        assertThat(definition("t").bucketCount()).isEqualTo(3);
        assertThat(session.text("SHOW CREATE TABLE t"))
                .contains("DISTRIBUTED BY HASH(`b`) INTO 3 BUCKETS")
                .doesNotContain("'bucket");
    }

    @Test
    void defaultIsOneBucketByThePrimaryKeyWithoutPartitionColumns() {
        session.sql(
                "CREATE TABLE t (p INT, a INT, b INT, PRIMARY KEY (p, b, a) NOT ENFORCED)"
                        + " PARTITIONED BY (p)");
        assertThat(definition("t").bucketKeys()).containsExactly("b", "a");
        assertThat(definition("t").bucketCount()).isEqualTo(1);
    }

    @Test
    void distributionWithoutColumnsOrWithoutCount() {
        session.sql(
                "CREATE TABLE c (a INT PRIMARY KEY NOT ENFORCED, b INT) DISTRIBUTED INTO 5 BUCKETS");
        session.sql("CREATE TABLE k (a INT PRIMARY KEY NOT ENFORCED, b INT) DISTRIBUTED BY (a)");
        session.sql("CREATE TABLE log (a INT) DISTRIBUTED INTO 6 BUCKETS");
        assertThat(definition("c").bucketKeys()).containsExactly("a");
        assertThat(definition("c").bucketCount()).isEqualTo(5);
        assertThat(definition("k").bucketCount()).isEqualTo(1);
        assertThat(definition("log").bucketKeys()).isEmpty();
        assertThat(definition("log").bucketCount()).isEqualTo(6);
        assertThat(session.text("SHOW CREATE TABLE log")).contains("DISTRIBUTED INTO 6 BUCKETS");
    }

    @Test
    void agreeingClauseAndOptionsAreFine() {
        session.sql(
                "CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED) DISTRIBUTED BY HASH(a) INTO 2 BUCKETS"
                        + " WITH ('bucket' = '2', 'bucket-key' = 'a')");
        assertThat(definition("t").bucketCount()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DISTRIBUTED BY HASH(a) INTO 2 BUCKETS WITH ('bucket' = '3') | has both DISTRIBUTED INTO 2 BUCKETS and 'bucket' = 3",
                "DISTRIBUTED BY HASH(a) WITH ('bucket-key' = 'b') | has both DISTRIBUTED BY [a] and 'bucket-key' = [b]",
                "DISTRIBUTED BY RANGE(a) INTO 2 BUCKETS | DISTRIBUTED BY RANGE of table",
                "DISTRIBUTED BY HASH(c) INTO 2 BUCKETS | 'c' cannot be a bucket key",
                "WITH ('bucket-key' = 'p') | it is a partition column",
                "WITH ('bucket-key' = 'x') | 'x' cannot be a bucket key of table",
                "WITH ('bucket-key' = 'a,a') | it is named twice",
                "WITH ('bucket-key' = 'a,') | '' cannot be a bucket key",
                "WITH ('bucket' = '0') | it must be between 1 and 1024",
                "WITH ('bucket' = '1025') | it must be between 1 and 1024",
                "DISTRIBUTED BY HASH(a) INTO 2000 BUCKETS | it must be between 1 and 1024",
            })
    void impossibleBucketsAreRefused(String clause, String message) {
        String[] parts = clause.split(" WITH ", 2);
        String distribution = clause.startsWith("WITH") ? "" : parts[0];
        String with =
                clause.startsWith("WITH") ? clause : parts.length > 1 ? "WITH " + parts[1] : "";
        assertRefused(
                () ->
                        session.sql(
                                "CREATE TABLE t (p INT, a INT, b INT, c INT, PRIMARY KEY (p, a, b) NOT ENFORCED) "
                                        + distribution
                                        + " PARTITIONED BY (p) "
                                        + with),
                message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hot.enable | true | unknown option 'hot.enable' of table %s.t. Did you mean 'hot.enabled'?",
                "hot.enabled | maybe | option 'hot.enabled' = 'maybe' of table %s.t is not valid",
                "hot.log.retentoin | 1 d | Did you mean 'hot.log.retention'?",
                "hot.log.retention | soon | option 'hot.log.retention' = 'soon' of table %s.t is not valid",
                "hot.log.retention | 0 s | it must be longer than 0",
                "buckets | 2 | Did you mean 'bucket'?",
                "bucket | two | option 'bucket' = 'two' of table %s.t is not valid",
                "bucket.key | a | Did you mean 'bucket-key'?",
                "merge-engin | deduplicate | Did you mean 'merge-engine'?",
                "merge-engine | partial-update | option 'merge-engine' = 'partial-update' of table %s.t is not valid: only 'deduplicate' is supported",
                "changelog-image | full | Did you mean 'changelog.image'?",
                "changelog.image | after | only 'full' is supported",
                "tiering.enable | true | Did you mean 'tiering.enabled'?",
                "tiering.enabled | 7 | option 'tiering.enabled' = '7' of table %s.t is not valid",
                "tiering.freshnes | 1 s | Did you mean 'tiering.freshness'?",
                "tiering.freshness | -1 s | option 'tiering.freshness' = '-1 s' of table %s.t is not valid",
                "scan.startup.mod | full | Did you mean 'scan.startup.mode'?",
                "scan.startup.mode | fully | option 'scan.startup.mode' = 'fully' of table %s.t is not valid",
                "scan.teir | hot | Did you mean 'scan.tier'?",
                "scan.tier | warm | option 'scan.tier' = 'warm' of table %s.t is not valid",
                "scan.parallelism | 0 | option 'scan.parallelism' = '0' of table %s.t is not valid",
                "scan.lease-duration | 0 s | it must be longer than 0",
                "lookup.cache | PARTIAL | option 'lookup.cache' = 'PARTIAL' of table %s.t is not valid: the cache would grow without end and never be fresh; set 'lookup.partial-cache.max-rows', 'lookup.partial-cache.expire-after-write' or 'lookup.partial-cache.expire-after-access' too",
                "lookup.partial-cache.max-rows | 0 | option 'lookup.partial-cache.max-rows' = '0' of table %s.t is not valid: it must be at least 1",
                "lookup.partial-cache.expire-after-write | 0 s | option 'lookup.partial-cache.expire-after-write'",
                "scan.key-memory | 1 kb | option 'scan.key-memory' = '1 kb' of table %s.t is not valid: it must be between 4 kb and 1 gb",
                "lookup.cache | FULL | option 'lookup.cache' = 'FULL' of table %s.t is not valid",
                "lookup.asinc | true | Did you mean 'lookup.async'?",
                "lookup.cash | NONE | Did you mean 'lookup.cache'?",
                "sink.paralelism | 2 | Did you mean 'sink.parallelism'?",
                "sink.parallelism | 0 | option 'sink.parallelism' = '0' of table %s.t is not valid",
                "sink.delivery-garantee | at-least-once | Did you mean 'sink.delivery-guarantee'?",
                "thermocline.table-id | x | option 'thermocline.table-id' of table %s.t is reserved.",
                "thermocline.bucket | 2 | Write it as 'bucket'.",
                "sequence.field | a | paimon option 'sequence.field' cannot be set on table %s.t, which has a hot tier",
                "changelog-producer | input | changes are read from the hot tier's changelog",
                "primary-key | a | write it as a clause of CREATE TABLE",
                "partition | a | write it as a clause of CREATE TABLE",
                "path | /tmp/x | the hot tier decides where rows are",
                "ignore-delete | true | rows arrive in the lake already merged",
                "record-level.expire-time | 1 h | the lake would lose rows",
                "partition.expiration-time | 1 d | the lake would lose rows",
                "connector | kafka | table %s.t cannot have 'connector' = 'kafka'",
                "qqqqqqqqqqqqqqqq | 1 | Options are: bucket, bucket-key, changelog.image",
            })
    void wrongOptionsAreRefused(String key, String value, String message) {
        assertRefused(
                () ->
                        session.sql(
                                "CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED) WITH ('%s' = '%s')"
                                        .formatted(key, value)),
                message.formatted(database));
        assertThat(session.column("SHOW TABLES")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a INT, m MULTISET<INT> | column 'm' has type MULTISET<INT>, which the lake (Paimon) does not support",
                "a INT, m ROW<x MULTISET<INT>> | column 'm'",
                "a ARRAY<INT>, PRIMARY KEY (a) NOT ENFORCED | column 'a' has type ARRAY<INT>",
                "a INT, m INT METADATA | column 'm' of table %s.t is a metadata column",
            })
    void unsupportedColumnsAreRefused(String columns, String message) {
        assertRefused(
                () -> session.sql("CREATE TABLE t (" + columns + ")"), message.formatted(database));
    }

    @Test
    void partitionColumnsBelongToThePrimaryKey() {
        assertRefused(
                () ->
                        session.sql(
                                "CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED, p INT) PARTITIONED BY (p)"),
                "partition column 'p' of table %s.t is not part of the primary key [a]"
                        .formatted(database));
        assertRefused(
                () ->
                        session.sql(
                                "CREATE TABLE t (p INT PRIMARY KEY NOT ENFORCED, a INT) PARTITIONED BY (p)"),
                "has only partition columns");
    }

    @Test
    void existingTables() throws Exception {
        session.sql("CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED)");
        String id = definition("t").tableId().orElseThrow();
        session.sql("CREATE TABLE IF NOT EXISTS t (other STRING)");
        assertThat(definition("t").tableId()).contains(id);
        assertThatThrownBy(() -> session.sql("CREATE TABLE t (other STRING)"))
                .hasRootCauseInstanceOf(TableAlreadyExistException.class)
                .hasRootCauseMessage(
                        "Table (or view) %s.t already exists in Catalog tc.".formatted(database));
        assertThatThrownBy(() -> session.sql("CREATE TABLE nowhere.t (a INT)"))
                .hasRootCauseInstanceOf(DatabaseNotExistException.class)
                .hasRootCauseMessage("Database nowhere does not exist in Catalog tc.");
    }

    @Test
    void likeMakesAnotherTable() {
        session.sql(
                "CREATE TABLE t (a INT, b STRING COMMENT 'c', PRIMARY KEY (a) NOT ENFORCED)"
                        + " DISTRIBUTED BY HASH(a) INTO 2 BUCKETS WITH ('tiering.freshness' = '5 s')");
        session.sql("CREATE TABLE u WITH ('hot.log.retention' = '2 d') LIKE t");
        assertThat(definition("u").tableId()).isPresent().isNotEqualTo(definition("t").tableId());
        assertThat(definition("u").bucketCount()).isEqualTo(2);
        assertThat(definition("u").hotOptions())
                .containsEntry("tiering.freshness", "5 s")
                .containsEntry("hot.log.retention", "2 d");
        session.sql("CREATE TABLE v DISTRIBUTED INTO 3 BUCKETS LIKE t (EXCLUDING DISTRIBUTION)");
        assertThat(definition("v").bucketCount()).isEqualTo(3);
    }

    @Test
    void plainTableHasNoHotTier() {
        session.sql(
                "CREATE TABLE p (a INT PRIMARY KEY NOT ENFORCED, b INT) DISTRIBUTED BY HASH(a) INTO 2 BUCKETS"
                        + " WITH ('hot.enabled' = 'false', 'merge-engine' = 'first-row')");
        assertThat(definition("p").tableId()).isEmpty();
        assertThat(definition("p").bucketCount()).isEqualTo(2);
        assertThat(session.text("SHOW CREATE TABLE p"))
                .contains(
                        "'hot.enabled' = 'false'",
                        "'merge-engine' = 'first-row'",
                        "'bucket' = '2'");
        session.sql("CREATE TABLE r LIKE p");
        assertThat(definition("r").tableId()).isEmpty();
        assertThat(definition("r").bucketCount()).isEqualTo(2);
        assertRefused(
                () ->
                        session.sql(
                                "CREATE TABLE q (a INT) WITH ('hot.enabled' = 'false', 'tiering.freshness' = '1 s')"),
                "option 'tiering.freshness' of table %s.q needs a hot tier".formatted(database));
        assertRefused(
                () ->
                        session.sql(
                                "CREATE TABLE q (a INT) WITH ('hot.enabled' = 'false', 'file.formt' = 'orc')"),
                "unknown option 'file.formt' of table");
    }

    @Test
    void namesWithADollarSignAreReserved() {
        assertRefused(
                () -> session.sql("CREATE TABLE `t$lake` (a INT)"),
                "cannot create table %s.t$lake: a name with '$' stands for a read-only view of another table. Use %s.t instead."
                        .formatted(database, database));
    }

    private LakeTableDefinition definition(String table) {
        return session.catalog().lake().table(new ObjectPath(database, table)).definition();
    }
}
