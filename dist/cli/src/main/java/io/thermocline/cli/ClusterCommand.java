package io.thermocline.cli;

import io.thermocline.cli.cluster.ClusterSettings;
import io.thermocline.cli.cluster.SessionCluster;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code thermocline cluster}: a Flink session cluster of separate processes. */
@Command(
        name = "cluster",
        description = "Start, stop or show a Flink session cluster on this machine.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class ClusterCommand implements Callable<Integer> {

    /** As systemctl and init scripts do for a service that does not run. */
    private static final int NOT_RUNNING = 3;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getOut());
        return CommandLine.ExitCode.USAGE;
    }

    @Command(
            name = "start",
            description = "Start one JobManager and the TaskManagers; ports are free ones.",
            mixinStandardHelpOptions = true)
    int start(
            @Option(
                            names = "--taskmanagers",
                            paramLabel = "N",
                            defaultValue = "2",
                            description = "Number of TaskManagers (default: ${DEFAULT-VALUE}).")
                    int taskManagers,
            @Option(
                            names = "--slots",
                            paramLabel = "N",
                            defaultValue = "4",
                            description = "Slots of each (default: ${DEFAULT-VALUE}).")
                    int slots,
            @Option(
                            names = "-D",
                            paramLabel = "KEY=VALUE",
                            description = "Flink option for config.yaml.")
                    Map<String, String> options)
            throws IOException {
        if (taskManagers < 1 || slots < 1) {
            throw new CommandFailure("--taskmanagers and --slots must be at least 1.");
        }
        Map<String, String> flinkOptions =
                options == null ? Map.of() : new LinkedHashMap<>(options);
        URI rest =
                new SessionCluster(Workspace.fromSystemProperties())
                        .start(new ClusterSettings(taskManagers, slots, flinkOptions));
        System.out.println("Flink runs: web UI " + rest + ", " + taskManagers + " TaskManagers");
        System.out.println("Use it with: thermocline sql --cluster");
        return 0;
    }

    @Command(name = "stop", description = "Stop it, jobs too.", mixinStandardHelpOptions = true)
    int stop() throws IOException {
        boolean ran = new SessionCluster(Workspace.fromSystemProperties()).stop();
        System.out.println(ran ? "Stopped." : "No cluster was running.");
        return 0;
    }

    @Command(
            name = "status",
            description = "Show its processes; exit code 3 when it does not run.",
            mixinStandardHelpOptions = true)
    int status() {
        SessionCluster cluster = new SessionCluster(Workspace.fromSystemProperties());
        cluster.describe().forEach(System.out::println);
        if (!cluster.isRunning()) {
            System.out.println("No cluster is running.");
            return NOT_RUNNING;
        }
        return 0;
    }
}
