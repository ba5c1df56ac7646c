package io.thermocline.cli;

import io.thermocline.cli.server.WarehouseServer;
import io.thermocline.hotstore.flight.Endpoint;
import io.thermocline.lake.LakeConfig;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code thermocline server}: the hot store's process, which otherwise starts and ends by itself.
 */
@Command(
        name = "server",
        description = {
            "Start, stop or show the hot store's server of a warehouse.",
            "It starts by itself when a job needs it, and ends when it is idle; one started here"
                    + " stays until it is stopped."
        },
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class ServerCommand implements Callable<Integer> {

    /** As systemctl and init scripts do for a service that does not run. */
    private static final int NOT_RUNNING = 3;

    private static final String IDLE_TIMEOUT = "server.idle-timeout";

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getOut());
        return CommandLine.ExitCode.USAGE;
    }

    @Command(
            name = "start",
            description = "Start it unless it runs; it stays until it is stopped.",
            mixinStandardHelpOptions = true)
    int start(
            @Mixin WarehouseLocation location,
            @Option(
                            names = "-D",
                            paramLabel = "KEY=VALUE",
                            description = "Option of the server, such as server.memory=2gb.")
                    Map<String, String> options) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put(IDLE_TIMEOUT, "0 s");
        if (options != null) {
            all.putAll(options);
        }
        LakeConfig lake = location.resolve(Workspace.fromSystemProperties());
        System.out.println(describe(new WarehouseServer(lake).start(all), lake));
        return 0;
    }

    @Command(
            name = "stop",
            description = "Tier what is pending and end it.",
            mixinStandardHelpOptions = true)
    int stop(@Mixin WarehouseLocation location) {
        LakeConfig lake = location.resolve(Workspace.fromSystemProperties());
        boolean ran = new WarehouseServer(lake).stop();
        System.out.println(
                ran ? "Stopped." : "No server was running for " + lake.warehouse() + ".");
        return 0;
    }

    @Command(
            name = "status",
            description = "Show where it answers; exit code 3 when it does not run.",
            mixinStandardHelpOptions = true)
    int status(@Mixin WarehouseLocation location) {
        LakeConfig lake = location.resolve(Workspace.fromSystemProperties());
        Optional<Endpoint> endpoint = new WarehouseServer(lake).running();
        System.out.println(
                endpoint.map(found -> describe(found, lake))
                        .orElse("No server is running for " + lake.warehouse() + "."));
        return endpoint.isPresent() ? 0 : NOT_RUNNING;
    }

    private static String describe(Endpoint endpoint, LakeConfig lake) {
        return "The hot store of " + lake.warehouse() + " answers at " + endpoint;
    }
}
