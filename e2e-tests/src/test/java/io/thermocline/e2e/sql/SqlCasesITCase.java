package io.thermocline.e2e.sql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs every case file below {@code cases/}; system property {@code thermocline.cases} takes those
 * whose name contains one of its parts, separated by commas.
 */
class SqlCasesITCase {

    private static final Path ROOT = Path.of("src/test/resources/cases");
    private static final List<String> SELECTION =
            List.of(System.getProperty("thermocline.cases", "").split(","));

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(4)
                            .build());

    @TempDir private static Path warehouse;

    private static ServerProcess server;

    @BeforeAll
    static void start() {
        server = ServerProcess.ofWarehouse(warehouse);
    }

    @AfterAll
    static void stop() throws Exception {
        server.stop();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("files")
    void runs(String name) throws Exception {
        CaseFile file = CaseFile.read(ROOT, ROOT.resolve(name), lake());
        SqlSession session = new SqlSession(warehouse, lake(), 2, Map.of());
        String database = name.replaceAll("\\.sqlt$", "").replaceAll("[^a-z0-9]", "_");
        new CaseRunner(session, server).run(file, database);
    }

    String lake() {
        return "paimon";
    }

    static List<String> files() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(f -> f.toString().endsWith(".sqlt"))
                    .map(f -> ROOT.relativize(f).toString())
                    .filter(SqlCasesITCase::isSelected)
                    .sorted()
                    .toList();
        }
    }

    /** Whether the run is for some cases only. */
    static boolean isSelective() {
        return !SELECTION.equals(List.of(""));
    }

    private static boolean isSelected(String name) {
        return SELECTION.stream().anyMatch(name::contains);
    }
}
