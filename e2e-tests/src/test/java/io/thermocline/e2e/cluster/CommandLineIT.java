package io.thermocline.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exit codes, messages and life of processes of the {@code ./thermocline} commands. */
class CommandLineIT {

    @TempDir private Path directory;

    private Workbench bench;

    @BeforeEach
    void open() {
        bench = new Workbench(directory, "2.1");
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void theScriptKnowsItsCommands() throws Exception {
        for (String command : List.of("sql", "build")) {
            assertThat(bench.run(command, "--help").succeeded().output())
                    .contains("Usage: thermocline");
        }
        CommandResult unknown = bench.run("cluster", "pause");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.output()).contains("pause");
    }

    @Test
    void aScriptStopsAtItsFirstFailureAndSaysWhere() throws Exception {
        CommandResult result =
                bench.sql(
                        "CREATE TABLE t (id INT);\nSELECT *\nFROM nowhere;\nCREATE TABLE u (id INT);");
        assertThat(result.failed().output())
                .contains("script-0.sql, line 2: ")
                .contains("Object 'nowhere' not found");
        assertThat(bench.sql("SHOW TABLES;").succeeded().rows()).containsExactly(List.of("t"));
    }

    @Test
    void aJobThatFailsWhileItRunsFailsTheScript() throws Exception {
        CommandResult result =
                bench.sql(
                        "SET 'execution.runtime-mode' = 'batch';\n"
                                + "SET 'table.dml-sync' = 'true';\n"
                                + "CREATE TABLE t (id INT);\n"
                                + "INSERT INTO t SELECT 1 / (x - x) FROM (VALUES (1)) AS v (x);");
        assertThat(result.failed().output()).contains("line 4: ").contains("/ by zero");
    }

    @Test
    void theServerIsStartedShownAndStopped() throws Exception {
        assertThat(bench.run("server", "status").exitCode()).isEqualTo(3);

        assertThat(bench.run("server", "start").succeeded().output()).contains("answers at");
        assertThat(bench.servers()).hasSize(1);
        long pid = bench.servers().get(0).pid();
        assertThat(bench.run("server", "start").succeeded().output()).contains("pid " + pid);
        assertThat(bench.run("server", "status").succeeded().output())
                .contains("pid " + pid)
                .containsPattern("metrics http://127\\.0\\.0\\.1:[0-9]+/metrics");

        assertThat(bench.run("server", "stop").succeeded().output()).contains("Stopped.");
        assertThat(bench.servers()).isEmpty();
        assertThat(bench.run("server", "stop").succeeded().output())
                .contains("No server was running");
    }

    @Test
    void anIcebergWarehouseIsServedLikeAPaimonOne() throws Exception {
        String[] lake = {"--lake", "iceberg", "--lake-option", "catalog-name=o'brien"};
        assertThat(bench.run("server", "start", "--lake", "delta").failed().output())
                .contains("there is no lake 'delta'");

        String start =
                bench.run("server", "start", lake[0], lake[1], lake[2], lake[3])
                        .succeeded()
                        .output();
        assertThat(start).contains("iceberg-warehouse answers at");
        String script =
                "SET 'execution.runtime-mode' = 'batch';\nSET 'table.dml-sync' = 'true';\n"
                        + "CREATE TABLE t (id INT, PRIMARY KEY (id) NOT ENFORCED);\n"
                        + "INSERT INTO t VALUES (7);\nCALL sys.tier('default.t');\n"
                        + "SELECT COUNT(*) FROM `t$files`;\nSELECT * FROM `t$lake`;";
        assertThat(bench.sql(script, lake).succeeded().rows()).endsWith(List.of("1"), List.of("7"));
        assertThat(bench.servers()).hasSize(1);
        assertThat(bench.run("server", "stop", "--lake", "iceberg").succeeded().output())
                .contains("Stopped.");
    }

    @Test
    void sqlNeedsARunningClusterWhenItIsAskedForOne() throws Exception {
        assertThat(bench.sql("SHOW TABLES;", "--cluster").failed().output())
                .contains("No cluster is running. Start one with 'thermocline cluster start'.");
        assertThat(bench.run("cluster", "status").exitCode()).isEqualTo(3);
        assertThat(bench.run("cluster", "stop").succeeded().output())
                .contains("No cluster was running.");
    }
}
