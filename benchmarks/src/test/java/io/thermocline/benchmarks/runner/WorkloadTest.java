package io.thermocline.benchmarks.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.benchmarks.runner.Workload.Unit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkloadTest {

    private static final Workload RATE =
            Workloads.all().stream()
                    .filter(workload -> workload.name().equals("upsert-new"))
                    .findFirst()
                    .orElseThrow();

    private static Measurement measurement(String system, int repetition, double seconds) {
        return new Measurement(
                "upsert-new",
                system,
                repetition,
                1_000,
                seconds,
                Map.of(),
                Map.of("client", 0.002),
                Map.of("client", 3L << 20),
                5L << 20,
                0);
    }

    @Test
    void reportsMediansAndRatiosToPeerAndFloor() {
        String table =
                ReportTable.of(
                        Map.of(
                                RATE,
                                List.of(
                                        measurement("thermocline", 0, 1),
                                        measurement("floor", 0, 0.5),
                                        measurement("fluss", 0, 4),
                                        measurement("thermocline", 1, 0.8),
                                        measurement("floor", 1, 0.4),
                                        measurement("fluss", 1, 4),
                                        measurement("thermocline", 2, 2),
                                        measurement("floor", 2, 0.625),
                                        measurement("fluss", 2, 5))));

        assertThat(table.lines().skip(1).map(line -> line.replaceAll(" +", " ").strip()))
                .containsExactly(
                        "upsert-new thermocline 1,000 /s 500 to 1,250 fluss 4.00 0.50 client 2.0"
                                + " client 3.0 5.0",
                        "upsert-new floor 2,000 /s 1,600 to 2,500 client 2.0 client 3.0 5.0",
                        "upsert-new fluss 250 /s 200 to 250 client 2.0 client 3.0 5.0");
    }

    @Test
    void quickRunsLeaveOutRowsThatExist() {
        assertThat(Workloads.all().stream().filter(row -> !Workloads.isQuick(row)))
                .extracting(Workload::name)
                .containsExactly(
                        "upsert-zipfian",
                        "append-60",
                        "scan-60-all",
                        "scan-60-5",
                        "lookup-1024",
                        "lookup-miss",
                        "lookup-prefix",
                        "union-read-1",
                        "union-read-100",
                        "tiering-new",
                        "health-1s",
                        "health-10s",
                        "health-60s");
    }

    @Test
    void lowerLatenciesAreBetter() {
        assertThat(Unit.P50_MICROS.ratio(50, 200)).isEqualTo(4);
        assertThat(Unit.ROWS_PER_SECOND.ratio(50, 200)).isEqualTo(0.25);
    }
}
