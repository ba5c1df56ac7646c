package io.thermocline.benchmarks.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code thermocline bench}: measures this project beside its peers and the machine's floors. */
@Command(
        name = "thermocline bench",
        description = {
            "Measure Thermocline beside its peers and the machine's floors, in one run: every"
                    + " repetition is made by all systems in turn, on the same rows.",
            "Needs a quiet machine, 10 GB of memory and 15 GB of disk."
        },
        sortOptions = false)
public final class Benchmarks implements Callable<Integer> {

    private static final String NO_PEERS = "none";

    @Option(
            names = "--only",
            paramLabel = "NAME",
            split = ",",
            description = "Measure these rows only (see --list).")
    private List<String> only = List.of();

    @Option(
            names = "--peers",
            paramLabel = "PEER",
            split = ",",
            description =
                    "Peers to measure beside: fluss, kafka, paimon, iceberg, or none (default:"
                            + " all).")
    private List<String> peers = Systems.PEERS;

    @Option(
            names = "--quick",
            description =
                    "Ends within ten minutes, with larger errors: less data, and some of the rows"
                            + " only, unless --only names others.")
    private boolean quick;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Append every measurement to FILE, a JSON object a line.")
    private @Nullable Path json;

    @Option(
            names = "--from",
            paramLabel = "FILE",
            description = "Measure nothing: report and draw what --json has put into FILE.")
    private @Nullable Path from;

    @Option(
            names = "--charts",
            paramLabel = "DIR",
            description = "Where charts go, as SVG (default: benchmarks/target/charts).")
    private @Nullable Path charts;

    @Option(
            names = "--scratch",
            paramLabel = "DIR",
            description = "Where data and logs go (default: benchmarks/target/run).")
    private @Nullable Path scratch;

    @Option(names = "--smoke", hidden = true, description = "Show that everything runs.")
    private boolean smoke;

    @Option(names = "--list", description = "Name the rows and end.")
    private boolean list;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and end.")
    private boolean help;

    private Benchmarks() {}

    /** Runs it and ends the process: 0 done, 1 failed, 2 wrong usage. */
    public static void main(String[] arguments) {
        System.exit(
                new CommandLine(new Benchmarks())
                        .setExecutionExceptionHandler(
                                (failure, command, parsed) -> {
                                    command.getErr().println("ERROR: " + messages(failure));
                                    return CommandLine.ExitCode.SOFTWARE;
                                })
                        .execute(arguments));
    }

    private static String messages(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        return failure.getCause() == null ? message : message + ": " + messages(failure.getCause());
    }

    @Override
    public Integer call() throws IOException {
        if (list) {
            Workloads.all().forEach(workload -> System.out.println(workload.name()));
            return CommandLine.ExitCode.OK;
        }
        Path module = Path.of(System.getProperty("thermocline.benchmarks", "."));
        Map<Workload, List<Measurement>> measured = from == null ? measure(module) : read(from);
        System.out.println();
        System.out.print(ReportTable.of(measured));
        Path drawn = charts == null ? module.resolve("target/charts") : charts;
        Charts.draw(measured, drawn);
        System.out.println("Charts: " + drawn);
        return CommandLine.ExitCode.OK;
    }

    private Map<Workload, List<Measurement>> read(Path file) throws IOException {
        List<Measurement> measurements = new JsonLines(file).read();
        Map<Workload, List<Measurement>> measured = new LinkedHashMap<>();
        for (Workload workload : chosenWorkloads()) {
            List<Measurement> its =
                    measurements.stream()
                            .filter(each -> each.row().equals(workload.name()))
                            .toList();
            if (!its.isEmpty()) {
                measured.put(workload, its);
            }
        }
        return measured;
    }

    private Map<Workload, List<Measurement>> measure(Path module) throws IOException {
        RunDirectory directory =
                new RunDirectory(module, scratch == null ? module.resolve("target/run") : scratch);
        Files.createDirectories(directory.scratch());
        RunDirectory fresh =
                new RunDirectory(
                        module.toAbsolutePath(),
                        Files.createTempDirectory(directory.scratch().toAbsolutePath(), "run-"));
        JsonLines lines = json == null ? null : new JsonLines(json);
        Map<Workload, List<Measurement>> measured =
                new Run(fresh, chosenPeers(), scale(), measurement -> report(measurement, lines))
                        .run(chosenWorkloads());
        Scratch.delete(fresh.data(""));
        return measured;
    }

    private Scale scale() {
        if (smoke) {
            return Scale.SMOKE;
        }
        return quick ? Scale.QUICK : Scale.FULL;
    }

    private Set<String> chosenPeers() {
        Set<String> chosen = new TreeSet<>(peers);
        chosen.remove(NO_PEERS);
        for (String peer : chosen) {
            if (!Systems.PEERS.contains(peer)) {
                throw usage("unknown peer '" + peer + "'; there are " + Systems.PEERS);
            }
        }
        return chosen;
    }

    private List<Workload> chosenWorkloads() {
        List<Workload> all = Workloads.all();
        if (only.isEmpty()) {
            return all.stream().filter(workload -> !quick || Workloads.isQuick(workload)).toList();
        }
        Set<String> unknown = new TreeSet<>(only);
        all.forEach(workload -> unknown.remove(workload.name()));
        if (!unknown.isEmpty()) {
            throw usage("unknown row " + unknown + "; see --list");
        }
        // Rows prepare tables for those behind them.
        return all.stream().filter(workload -> only.contains(workload.name())).toList();
    }

    private CommandLine.ParameterException usage(String message) {
        return new CommandLine.ParameterException(new CommandLine(this), message);
    }

    private static void report(Measurement measurement, @Nullable JsonLines lines)
            throws IOException {
        System.out.printf(
                Locale.ROOT,
                "%-17s %-15s %d  %,.0f rows/s  CPU %s s  other processes %.2f cores  %s%n",
                measurement.row(),
                measurement.system(),
                measurement.repetition(),
                measurement.rows() / measurement.seconds(),
                rounded(measurement.cpuSeconds()),
                measurement.otherCores(),
                measurement.figures());
        if (lines != null) {
            lines.add(measurement);
        }
    }

    private static String rounded(Map<String, Double> seconds) {
        List<String> parts = new ArrayList<>();
        seconds.forEach(
                (role, value) -> parts.add(String.format(Locale.ROOT, "%s %.2f", role, value)));
        return String.join(", ", parts);
    }
}
