package io.thermocline.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The README's first command, on both Flink versions and both lakes, with the numbers that its text
 * names.
 */
class QuickstartIT {

    @TempDir private Path directory;

    static List<Arguments> runs() {
        List<Arguments> runs =
                new ArrayList<>(
                        List.of(Arguments.of("2.1", "paimon"), Arguments.of("2.2", "iceberg")));
        if (Boolean.getBoolean("thermocline.test.full")) {
            runs.add(Arguments.of("2.1", "iceberg"));
            runs.add(Arguments.of("2.2", "paimon"));
        }
        return runs;
    }

    @ParameterizedTest(name = "Flink {0}, {1}")
    @MethodSource("runs")
    void quickstartShowsTheExpectedNumbersAndLeavesNothingRunning(String flink, String lake)
            throws Exception {
        try (Workbench bench = new Workbench(directory, flink)) {
            CommandResult result =
                    (lake.equals("paimon")
                                    ? bench.run("quickstart")
                                    : bench.run("quickstart", "--lake", lake))
                            .succeeded();

            assertThat(result.rows())
                    .as("output:%n%s", result.output())
                    .contains(List.of("20000", "154078", "522"))
                    .contains(List.of("3376"))
                    .anySatisfy(row -> assertThat(row).startsWith("DFW").contains("1103"))
                    .anySatisfy(row -> assertThat(row).startsWith("ORD").contains("1095"))
                    .anySatisfy(row -> assertThat(row).startsWith("ATL").contains("846"))
                    .anySatisfy(row -> assertThat(row).startsWith("LAX").contains("777"))
                    .anySatisfy(row -> assertThat(row).startsWith("PHX").contains("633"))
                    .contains(List.of("lake", "20000", "154078"))
                    .contains(List.of("union", "20003", "154138"))
                    .contains(List.of("lake", "3376", "Dallas-Fort Worth International"))
                    .contains(List.of("union", "3376", "Dallas/Fort Worth International"))
                    .contains(List.of("lake", "20000", "1103"))
                    .contains(List.of("union", "20003", "1106"));
            assertThat(bench.processes()).isEmpty();
        }
    }
}
