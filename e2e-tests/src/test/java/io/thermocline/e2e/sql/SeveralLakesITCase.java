package io.thermocline.e2e.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Two catalogs of a session, each with its lake, its warehouse and its hot store. */
class SeveralLakesITCase {

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(4)
                            .build());

    @TempDir private Path paimonWarehouse;
    @TempDir private Path icebergWarehouse;

    @AfterEach
    void stop() throws Exception {
        ServerProcess.ofWarehouse(paimonWarehouse).stop();
        ServerProcess.ofWarehouse(icebergWarehouse).stop();
    }

    @Test
    void tablesOfBothAreWrittenReadAndJoinedTogether() throws Exception {
        SqlSession session = new SqlSession(paimonWarehouse, 2, Map.of());
        session.execute(
                "CREATE CATALOG other WITH ('type'='thermocline', 'lake'='iceberg', 'warehouse'='%s')"
                        .formatted(icebergWarehouse.toUri()));
        for (String catalog : List.of("tc", "other")) {
            session.execute("CREATE DATABASE " + catalog + ".db");
            session.execute(
                    ("CREATE TABLE %s.db.t (id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED)"
                                    + " WITH ('tiering.freshness'='1 h')")
                            .formatted(catalog));
            session.execute(
                    "INSERT INTO %1$s.db.t VALUES (1, '%1$s 1'), (2, '%1$s 2')".formatted(catalog));
            session.execute("CALL " + catalog + ".sys.tier('db.t')");
        }
        session.execute("INSERT INTO tc.db.t VALUES (2, 'tc two'), (3, 'tc 3')");
        session.execute("INSERT INTO other.db.t VALUES (1, 'other one'), (3, 'other 3')");

        assertThat(
                        session.query(
                                "SELECT a.id, a.v, b.v FROM tc.db.t a JOIN other.db.t b ON a.id = b.id"))
                .containsExactlyInAnyOrder(
                        "1|tc 1|other one", "2|tc two|other 2", "3|tc 3|other 3");
        assertThat(
                        session.query(
                                "SELECT a.v, b.v FROM (SELECT *, PROCTIME() AS pt FROM tc.db.t) a"
                                        + " JOIN other.db.t FOR SYSTEM_TIME AS OF a.pt AS b"
                                        + " ON a.id = b.id WHERE a.id > 1"))
                .containsExactlyInAnyOrder("tc two|other 2", "tc 3|other 3");
        session.execute("INSERT INTO other.db.t SELECT id + 10, v FROM tc.db.t");
        assertThat(session.query("SELECT v FROM other.db.t WHERE id > 10"))
                .containsExactlyInAnyOrder("tc 1", "tc two", "tc 3");
        assertThat(session.query("SELECT id, v FROM other.db.`t$lake`"))
                .containsExactlyInAnyOrder("1|other 1", "2|other 2");
        assertThat(session.query("SELECT id, v FROM tc.db.`t$lake`"))
                .containsExactlyInAnyOrder("1|tc 1", "2|tc 2");
    }
}
