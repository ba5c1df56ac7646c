package io.thermocline.benchmarks.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
            description = "Peers to measure beside: fluss, or none (default: fluss).")
    private List<String> peers = List.of(Systems.FLUSS);

    @Option(
            names = "--quick",
            description = "Fewer rows: ends within ten minutes, with larger errors.")
    private boolean quick;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Append every measurement to FILE, a JSON object a line.")
    private @Nullable Path json;

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
        System.out.println();
        System.out.print(ReportTable.of(measured));
        Scratch.delete(fresh.data(""));
        return CommandLine.ExitCode.OK;
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
            return all;
        }
        List<Workload> chosen = new ArrayList<>();
        for (String name : only) {
            chosen.add(
                    all.stream()
                            .filter(workload -> workload.name().equals(name))
                            .findFirst()
                            .orElseThrow(() -> usage("unknown row '" + name + "'; see --list")));
        }
        return chosen;
    }

    private CommandLine.ParameterException usage(String message) {
        return new CommandLine.ParameterException(new CommandLine(this), message);
    }

    private static void report(Measurement measurement, @Nullable JsonLines lines)
            throws IOException {
        System.out.printf(
                Locale.ROOT,
                "%-17s %-12s %d  %,.0f rows/s  CPU %s s  other processes %.2f cores  %s%n",
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
