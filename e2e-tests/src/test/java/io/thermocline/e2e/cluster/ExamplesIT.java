package io.thermocline.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every numbered example runs as its first lines say, and prints what its comments say. */
class ExamplesIT {

    private static final Path EXAMPLES =
            Path.of(System.getProperty("thermocline.project"), "sql-examples");

    /** Rows of all tables that an example prints, results of CALL excepted. */
    private static final Map<String, List<List<String>>> EXPECTED =
            new TreeMap<>(
                    Map.of(
                            "01_primary_key_table.sql",
                            List.of(
                                    List.of("1", "Ada", "London"),
                                    List.of("2", "Alan", "Wilmslow"),
                                    List.of("3", "Grace", "Arlington")),
                            "02_log_table.sql",
                            List.of(List.of("docs", "1"), List.of("home", "2")),
                            "03_lookup_join.sql",
                            List.of(
                                    List.of("1", "108.000000"),
                                    List.of("2", "12.700000"),
                                    List.of("3", "<NULL>"),
                                    List.of("1", "2"),
                                    List.of("2", "1")),
                            "04_union_read.sql",
                            List.of(
                                    List.of("bolt", "100"),
                                    List.of("nut", "200"),
                                    List.of("bolt", "100"),
                                    List.of("nut", "150"),
                                    List.of("washer", "70"),
                                    List.of("bolt", "100"),
                                    List.of("nut", "150"),
                                    List.of("washer", "70"),
                                    List.of("TRUE")),
                            "05_partitions.sql",
                            List.of(
                                    List.of("2024-05-01", "2", "6"),
                                    List.of("2024-05-02", "2", "11"),
                                    List.of("1", "7"),
                                    List.of("2", "4")),
                            "06_plain_lake_table.sql",
                            List.of(List.of("1", "kept in the lake only")),
                            "07_see_and_prove.sql",
                            List.of(
                                    List.of("0", "2", "5", "3", "3"),
                                    List.of("2", "1", "0", "<NULL>")),
                            "08_existing_table.sql",
                            List.of(
                                    List.of("1", "Ada"),
                                    List.of("2", "Alan T."),
                                    List.of("3", "Grace"),
                                    List.of("1", "Ada"),
                                    List.of("2", "Alan"),
                                    List.of("1", "Ada"),
                                    List.of("2", "Alan T."),
                                    List.of("3", "Grace"))));

    /** Beside the catalog of the command line, whose lake is Paimon. */
    private static final String ICEBERG =
            "CREATE CATALOG iceberg WITH ('type' = 'thermocline', 'lake' = 'iceberg',"
                    + " 'warehouse' = '%siceberg');\n";

    private static final int VERIFICATION_COLUMNS = 13;
    private static final int AGREES = 11;

    @TempDir private Path directory;

    @Test
    void everyNumberedExampleIsChecked() throws Exception {
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            assertThat(files.map(f -> f.getFileName().toString()).filter(f -> f.matches("\\d.*")))
                    .containsExactlyInAnyOrderElementsOf(EXPECTED.keySet());
        }
    }

    /**
     * In one session, half of the examples on Paimon and the others on Iceberg; all of them on both
     * where there is time.
     */
    @Test
    void examplesPrintWhatTheySay() throws Exception {
        try (Workbench bench = new Workbench(directory, "2.1")) {
            StringBuilder all = new StringBuilder(ICEBERG.formatted(directory.toUri()));
            List<List<String>> expected = new ArrayList<>();
            for (Map.Entry<String, List<List<String>>> example : EXPECTED.entrySet()) {
                for (String catalog : catalogs(example.getKey())) {
                    all.append("USE CATALOG ").append(catalog).append(";\n");
                    all.append(Files.readString(EXAMPLES.resolve(example.getKey()))).append('\n');
                    expected.addAll(example.getValue());
                }
            }
            CommandResult result = bench.sql(all.toString()).succeeded();
            List<List<String>> printed =
                    result.rows().stream()
                            .filter(row -> !isTieringResult(row) && !isVerification(row))
                            .toList();
            assertThat(printed).as(result.output()).isEqualTo(expected);
            assertThat(result.rows())
                    .filteredOn(ExamplesIT::isVerification)
                    .isNotEmpty()
                    .allSatisfy(row -> assertThat(row.get(AGREES)).isEqualTo("TRUE"));
        }
    }

    private static List<String> catalogs(String example) {
        if (Boolean.getBoolean("thermocline.test.full")) {
            return List.of("thermocline", "iceberg");
        }
        boolean even = Integer.parseInt(example.substring(0, 2)) % 2 == 0;
        return List.of(even ? "iceberg" : "thermocline");
    }

    private static boolean isVerification(List<String> row) {
        return row.size() == VERIFICATION_COLUMNS;
    }

    private static boolean isTieringResult(List<String> row) {
        return row.size() == 4 && row.get(1).startsWith("{");
    }
}
