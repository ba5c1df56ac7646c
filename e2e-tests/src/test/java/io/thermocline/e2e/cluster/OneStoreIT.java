package io.thermocline.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.e2e.cluster.Workbench.RunningCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever is started where, a warehouse has one hot store. */
class OneStoreIT {

    private static final int RACERS = 3;
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final Pattern STORE = Pattern.compile("store (\\S+), epoch (\\d+), pid (\\d+)");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BATCH =
            "SET 'execution.runtime-mode' = 'batch'; SET 'table.dml-sync' = 'true';\n";

    @TempDir private Path directory;

    private Workbench bench;

    private void open(String lake) {
        bench = new Workbench(directory, "2.1", lake);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    /** What does not depend on the lake is tried on one of them, unless there is time for both. */
    private static List<String> lakes(String byDefault) {
        return Boolean.getBoolean("thermocline.test.full")
                ? List.of("paimon", "iceberg")
                : List.of(byDefault);
    }

    static List<String> onIceberg() {
        return lakes("iceberg");
    }

    static List<String> onPaimon() {
        return lakes("paimon");
    }

    @ParameterizedTest
    @MethodSource("onIceberg")
    void processesThatRaceToStartTheServerGetTheSameOne(String lake) throws Exception {
        open(lake);
        List<RunningCommand> racers = new ArrayList<>();
        for (int i = 0; i < RACERS; i++) {
            racers.add(bench.startServer("start"));
        }
        List<String> stores = new ArrayList<>();
        for (RunningCommand racer : racers) {
            Matcher m = STORE.matcher(racer.await(LIMIT).succeeded().output());
            assertThat(m.find()).isTrue();
            stores.add(m.group());
        }
        assertThat(Set.copyOf(stores)).hasSize(1);
        assertThat(bench.servers()).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("onIceberg")
    void aCopyInAUserClassLoaderConnectsButNeverStartsAServer(String lake) throws Exception {
        open(lake);
        Path copy = Files.copy(bench.connectorJar(), directory.resolve("copy.jar"));
        String insert = "ADD JAR '" + copy + "';\nINSERT INTO t VALUES (1, 'a'), (2, 'b');\n";
        bench.run("cluster", "start", "--taskmanagers", "1").succeeded();

        CommandResult refused =
                bench.sql(
                        "CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED);\n"
                                + BATCH
                                + "SET 'restart-strategy.type' = 'disable';\n"
                                + insert,
                        "--cluster");
        assertThat(refused.failed().output())
                .contains("was loaded from a job's own jars")
                .contains("thermocline server start");
        assertThat(bench.servers()).isEmpty();

        bench.server("start").succeeded();
        assertThat(bench.sql(BATCH + insert + "SELECT * FROM t;\n", "--cluster").succeeded().rows())
                .containsExactlyInAnyOrder(List.of("1", "a"), List.of("2", "b"));
        assertThat(bench.servers()).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("onPaimon")
    void aStoreOfAnotherHostIsNamedAndNotOpened(String lake) throws Exception {
        open(lake);
        bench.sql("CREATE TABLE t (id INT);\nCALL sys.tier('default.t');").succeeded();
        bench.server("stop").succeeded();
        Path record = bench.warehouse().resolve(".thermocline/store.json");
        ObjectNode content = (ObjectNode) JSON.readTree(record.toFile());
        String hotDirectory = content.path("hotDirectory").asText();
        Files.write(record, JSON.writeValueAsBytes(content.put("host", "elsewhere.example")));
        Set<Path> before = filesOf(Path.of(hotDirectory));

        CommandResult refused =
                bench.sql(
                        BATCH
                                + "SET 'restart-strategy.type' = 'disable';\n"
                                + "INSERT INTO t VALUES (1);");
        assertThat(refused.failed().output()).contains("elsewhere.example").contains(hotDirectory);
        assertThat(bench.server("start").failed().output()).contains("elsewhere.example");
        assertThat(bench.servers()).isEmpty();
        assertThat(filesOf(Path.of(hotDirectory))).isEqualTo(before);
    }

    private static Set<Path> filesOf(Path directory) throws Exception {
        try (var files = Files.walk(directory)) {
            return files.collect(Collectors.toSet());
        }
    }
}
