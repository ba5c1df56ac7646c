package io.thermocline.benchmarks.runner;

import io.thermocline.benchmarks.chart.BarChart;
import io.thermocline.benchmarks.chart.BarChart.Bar;
import io.thermocline.benchmarks.chart.BarChart.Panel;
import io.thermocline.benchmarks.runner.Workload.Length;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The charts of a run. */
final class Charts {

    /** How good this project is beside its peers. */
    static final String PEERS_FILE = "peers.svg";

    /** Freshness and the state of the lake table. */
    static final String HEALTH_FILE = "table-health.svg";

    private static final double MICROS_PER_SECOND = 1e6;
    private static final double SECONDS_PER_MINUTE = 60;

    private Charts() {}

    /** Draws those charts for which there are measurements. */
    static void draw(Map<Workload, List<Measurement>> measured, Path directory) throws IOException {
        Files.createDirectories(directory);
        List<Bar> peers = peerBars(measured);
        if (!peers.isEmpty()) {
            BarChart chart =
                    new BarChart(
                            "Thermocline beside its peers",
                            "Ratio of medians of interleaved repetitions in one run: right of the"
                                    + " line Thermocline is better",
                            List.of(new Panel("times as good as the peer", 1, peers)));
            Files.writeString(directory.resolve(PEERS_FILE), chart.svg());
        }
        Map<String, Measurement> health = health(measured);
        if (!health.isEmpty()) {
            Files.writeString(directory.resolve(HEALTH_FILE), healthChart(health).svg());
        }
    }

    private static List<Bar> peerBars(Map<Workload, List<Measurement>> measured) {
        List<Bar> bars = new ArrayList<>();
        measured.forEach(
                (workload, measurements) -> {
                    if (workload.length() == Length.MINUTES) {
                        return;
                    }
                    Map<String, Double> medians = ReportTable.medians(workload, measurements);
                    Double own = medians.get(Systems.SERVER);
                    for (String peer : Systems.PEERS) {
                        if (own != null && medians.containsKey(peer)) {
                            double ratio = workload.unit().ratio(own, medians.get(peer));
                            bars.add(
                                    new Bar(
                                            workload.name() + ", " + peer,
                                            ratio,
                                            number(ratio) + "×",
                                            Systems.PEERS.indexOf(peer)));
                        }
                    }
                });
        return bars;
    }

    private static Map<String, Measurement> health(Map<Workload, List<Measurement>> measured) {
        Map<String, Measurement> health = new LinkedHashMap<>();
        measured.forEach(
                (workload, measurements) -> {
                    if (workload.length() == Length.MINUTES) {
                        measurements.forEach(each -> health.put(label(each), each));
                    }
                });
        return health;
    }

    private static String label(Measurement measurement) {
        String interval = measurement.row().substring(measurement.row().indexOf('-') + 1);
        return String.format(
                Locale.ROOT,
                "%s %s s (%.0f min)",
                Systems.OWN.contains(measurement.system())
                        ? "Thermocline, tiering"
                        : "Flink to Iceberg, commits",
                interval.replace("s", ""),
                figure(measurement, "simulatedSeconds") / SECONDS_PER_MINUTE);
    }

    private static BarChart healthChart(Map<String, Measurement> health) {
        return new BarChart(
                "Freshness and table health",
                "Iceberg after so many minutes of upserts, simulated faster; shorter bars are better",
                List.of(
                        panel(
                                "seconds until 50 % of the rows can be read",
                                health, each -> figure(each, "p50us") / MICROS_PER_SECOND),
                        panel(
                                "seconds until 99 % of the rows can be read",
                                health, each -> figure(each, "p99us") / MICROS_PER_SECOND),
                        panel("snapshots", health, each -> figure(each, "snapshots")),
                        panel(
                                "data and delete files",
                                health,
                                each -> figure(each, "dataFiles") + figure(each, "deleteFiles")),
                        panel("milliseconds to plan", health, each -> figure(each, "planMs"))));
    }

    private static Panel panel(
            String title, Map<String, Measurement> health, ToDoubleFunction<Measurement> figure) {
        List<Bar> bars = new ArrayList<>();
        health.forEach(
                (label, measurement) -> {
                    double value = figure.applyAsDouble(measurement);
                    int color = Systems.OWN.contains(measurement.system()) ? 0 : 1;
                    bars.add(new Bar(label, value, number(value), color));
                });
        return new Panel(title, 0, bars);
    }

    private static double figure(Measurement measurement, String name) {
        return Double.parseDouble(measurement.figures().get(name));
    }

    private static String number(double value) {
        if (value >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(
                Locale.ROOT, value >= 10 ? "%.1f" : value >= 0.1 ? "%.2f" : "%.4f", value);
    }
}
