package io.thermocline.benchmarks.runner;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The figures of a run as text. */
final class ReportTable {

    private static final String FORMAT = "%-17s %-15s %22s %25s %-24s %8s  %-34s %-30s %9s%n";
    private static final double ROWS_PER_MILLION = 1e6;
    private static final double MIB = 1 << 20;
    private static final List<String> FLOORS = List.of(Systems.FLOOR, Systems.FLIGHT);

    private ReportTable() {}

    static String of(Map<Workload, List<Measurement>> measured) {
        StringBuilder text = new StringBuilder();
        text.append(
                line(
                        "row",
                        "system",
                        "median",
                        "min to max",
                        "x peers",
                        "x floor",
                        "CPU s per million",
                        "resident MiB",
                        "disk MiB"));
        measured.forEach((workload, measurements) -> append(text, workload, measurements));
        return text.toString();
    }

    private static String line(Object... cells) {
        return String.format(Locale.ROOT, FORMAT, cells);
    }

    private static void append(
            StringBuilder text, Workload workload, List<Measurement> measurements) {
        Map<String, Double> medians = medians(workload, measurements);
        bySystem(measurements)
                .forEach(
                        (system, its) -> {
                            double[] values = sorted(workload, its);
                            double median = medians.get(system);
                            text.append(
                                    line(
                                            workload.name(),
                                            system,
                                            number(median) + " " + workload.unit().label(),
                                            number(values[0])
                                                    + " to "
                                                    + number(values[values.length - 1]),
                                            peerRatios(workload, system, medians),
                                            ratio(workload, system, medians, FLOORS),
                                            cpu(its),
                                            resident(its),
                                            number(its.get(its.size() - 1).diskBytes() / MIB)));
                        });
    }

    private static String peerRatios(
            Workload workload, String system, Map<String, Double> medians) {
        return Systems.PEERS.stream()
                .filter(medians::containsKey)
                .map(peer -> ratio(workload, system, medians, List.of(peer)))
                .filter(ratio -> !ratio.isEmpty())
                .collect(Collectors.joining(", "));
    }

    /** How good one of this project's systems is beside the reference that took part. */
    private static String ratio(
            Workload workload,
            String system,
            Map<String, Double> medians,
            List<String> references) {
        return references.stream()
                .filter(reference -> Systems.OWN.contains(system))
                .filter(medians::containsKey)
                .map(
                        reference ->
                                String.format(
                                        Locale.ROOT,
                                        references.size() == 1 ? reference + " %.2f" : "%.2f",
                                        workload.unit()
                                                .ratio(
                                                        medians.get(system),
                                                        medians.get(reference))))
                .findFirst()
                .orElse("");
    }

    private static Map<String, List<Measurement>> bySystem(List<Measurement> measurements) {
        Map<String, List<Measurement>> bySystem = new LinkedHashMap<>();
        measurements.forEach(
                each -> bySystem.computeIfAbsent(each.system(), s -> new ArrayList<>()).add(each));
        return bySystem;
    }

    /** What every system reached, by the unit of the row. */
    static Map<String, Double> medians(Workload workload, List<Measurement> measurements) {
        Map<String, Double> medians = new LinkedHashMap<>();
        bySystem(measurements)
                .forEach(
                        (system, its) -> {
                            double[] values = sorted(workload, its);
                            medians.put(system, values[values.length / 2]);
                        });
        return medians;
    }

    static double[] sorted(Workload workload, List<Measurement> measurements) {
        return measurements.stream().mapToDouble(workload.unit()::of).sorted().toArray();
    }

    /** CPU seconds of the repetition in the middle, by role. */
    private static String cpu(List<Measurement> measurements) {
        Measurement measurement = measurements.get(measurements.size() / 2);
        return measurement.cpuSeconds().entrySet().stream()
                .map(
                        entry ->
                                String.format(
                                        Locale.ROOT,
                                        "%s %.1f",
                                        entry.getKey(),
                                        entry.getValue() / measurement.rows() * ROWS_PER_MILLION))
                .collect(Collectors.joining(", "));
    }

    private static String resident(List<Measurement> measurements) {
        return measurements.get(measurements.size() - 1).residentBytes().entrySet().stream()
                .map(entry -> entry.getKey() + " " + number(entry.getValue() / MIB))
                .collect(Collectors.joining(", "));
    }

    private static String number(double value) {
        return value < 100
                ? String.format(Locale.ROOT, "%.1f", value)
                : String.format(Locale.ROOT, "%,.0f", value);
    }
}
