package io.thermocline.benchmarks.runner;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** The figures of a run as text. */
final class ReportTable {

    private static final String FORMAT = "%-17s %-12s %22s %25s %8s %8s  %-34s %-30s %9s%n";
    private static final double ROWS_PER_MILLION = 1e6;
    private static final double MIB = 1 << 20;

    private ReportTable() {}

    static String of(Map<Workload, List<Measurement>> measured) {
        StringBuilder text = new StringBuilder();
        text.append(
                line(
                        "row",
                        "system",
                        "median",
                        "min to max",
                        "x peer",
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
        Map<String, List<Measurement>> bySystem = new LinkedHashMap<>();
        measurements.forEach(
                each -> bySystem.computeIfAbsent(each.system(), s -> new ArrayList<>()).add(each));
        OptionalDouble peer = reference(workload, bySystem, Systems.PEERS::contains);
        OptionalDouble floor =
                reference(
                        workload,
                        bySystem,
                        name -> name.equals(Systems.FLOOR) || name.equals(Systems.FLIGHT));
        bySystem.forEach(
                (system, its) -> {
                    double[] values = sorted(workload, its);
                    double median = values[values.length / 2];
                    text.append(
                            line(
                                    workload.name(),
                                    system,
                                    number(median) + " " + workload.unit().label(),
                                    number(values[0]) + " to " + number(values[values.length - 1]),
                                    ratio(workload, system, median, peer),
                                    ratio(workload, system, median, floor),
                                    cpu(its),
                                    resident(its),
                                    number(its.get(its.size() - 1).diskBytes() / MIB)));
                });
    }

    private static OptionalDouble reference(
            Workload workload,
            Map<String, List<Measurement>> bySystem,
            java.util.function.Predicate<String> isReference) {
        return bySystem.entrySet().stream()
                .filter(entry -> isReference.test(entry.getKey()))
                .mapToDouble(
                        entry -> {
                            double[] values = sorted(workload, entry.getValue());
                            return values[values.length / 2];
                        })
                .findFirst();
    }

    private static String ratio(
            Workload workload, String system, double median, OptionalDouble reference) {
        boolean own = system.equals(Systems.SERVER) || system.equals(Systems.EMBEDDED);
        return own && reference.isPresent()
                ? String.format(
                        Locale.ROOT, "%.2f", workload.unit().ratio(median, reference.getAsDouble()))
                : "";
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
