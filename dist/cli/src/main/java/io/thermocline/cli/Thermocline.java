package io.thermocline.cli;

import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Entry point: {@code ./thermocline COMMAND}. Exit codes: 0 done, 1 failed, 2 wrong usage. */
@Command(
        name = "thermocline",
        description = "One logical table over a hot store and a lake, on this machine.",
        mixinStandardHelpOptions = true,
        version = "Thermocline 0.1.0",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            QuickstartCommand.class,
            SqlCommand.class,
            ClusterCommand.class,
            ServerCommand.class,
            BenchCommand.class
        },
        footer = {
            "",
            "  build        build the project again (./thermocline build)",
            "",
            "State is kept in ./.thermocline: warehouse, logs, process files."
        })
public final class Thermocline implements Callable<Integer> {

    private static final Logger LOG = LoggerFactory.getLogger(Thermocline.class);

    @Spec private CommandSpec spec;

    private Thermocline() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    static int run(String... args) {
        return commandLine().execute(args);
    }

    static CommandLine commandLine() {
        return new CommandLine(new Thermocline()).setExecutionExceptionHandler(Thermocline::report);
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getOut());
        return CommandLine.ExitCode.USAGE;
    }

    private static int report(
            Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
        LOG.error("Command failed", failure);
        command.getErr().println("ERROR: " + messageOf(failure));
        String log = System.getProperty("log.file");
        if (log != null && !(failure instanceof CommandFailure)) {
            command.getErr().println("Details: " + log);
        }
        return CommandLine.ExitCode.SOFTWARE;
    }

    private static String messageOf(Exception failure) {
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }
}
