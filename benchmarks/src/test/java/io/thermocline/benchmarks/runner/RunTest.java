package io.thermocline.benchmarks.runner;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everything but the peers runs, with so few rows that the figures mean nothing. */
class RunTest {

    @TempDir private Path scratch;

    @Test
    void measuresOwnSystemsInTurnAndReportsThem() throws Exception {
        List<Workload> workloads =
                Workloads.all().stream()
                        .filter(
                                workload ->
                                        Set.of(
                                                        "upsert-new",
                                                        "scan-10-2",
                                                        "lookup-1",
                                                        "lookup-prefix",
                                                        "union-read-10")
                                                .contains(workload.name()))
                        .toList();
        Path json = scratch.resolve("figures.json");
        JsonLines lines = new JsonLines(json);
        List<Measurement> listened = new ArrayList<>();

        Map<Workload, List<Measurement>> measured =
                new Run(
                                new RunDirectory(scratch, scratch.resolve("run")),
                                Set.of(),
                                Scale.SMOKE,
                                measurement -> {
                                    listened.add(measurement);
                                    lines.add(measurement);
                                })
                        .run(workloads);

        assertThat(listened)
                .extracting(measurement -> measurement.row() + " " + measurement.system())
                .containsExactly(
                        "upsert-new thermocline",
                        "upsert-new in-process",
                        "upsert-new floor",
                        "scan-10-2 thermocline",
                        "scan-10-2 in-process",
                        "scan-10-2 floor",
                        "lookup-1 thermocline",
                        "lookup-1 in-process",
                        "lookup-1 floor",
                        "lookup-1 flight",
                        "lookup-prefix thermocline",
                        "lookup-prefix in-process",
                        "lookup-prefix floor",
                        "union-read-10 thermocline");
        assertThat(listened.subList(0, 6)).allMatch(each -> each.rows() == 2_000);
        assertThat(listened.subList(6, 9))
                .allMatch(each -> each.figures().get("misses").equals("0"));
        // Every prefix had all of its rows.
        assertThat(listened.subList(10, 13))
                .allMatch(each -> each.figures().get("misses").equals("0"));
        assertThat(listened.get(13).rows()).isEqualTo(2_000);
        assertThat(listened.get(13).cpuSeconds()).containsOnlyKeys("client", "server", "flink");
        assertThat(listened.get(0).cpuSeconds()).containsOnlyKeys("client", "server");
        assertThat(listened.get(0).residentBytes().get("server")).isPositive();
        List<String> table = ReportTable.of(measured).lines().toList();
        assertThat(table).hasSize(1 + listened.size());
        assertThat(table.get(6)).startsWith("scan-10-2").contains("floor", "/s");
        JsonNode first = new ObjectMapper().readTree(Files.readAllLines(json).get(0));
        assertThat(first.get("row").asText()).isEqualTo("upsert-new");
        assertThat(first.get("system").asText()).isEqualTo("thermocline");
        assertThat(first.get("rows").asLong()).isEqualTo(2_000);
    }
}
