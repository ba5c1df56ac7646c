package io.thermocline.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/**
 * {@code thermocline bench}: builds the benchmarks and runs them in a process of their own, because
 * their dependencies are in no jar of the installation. All arguments are theirs.
 */
@Command(
        name = "bench",
        description = "Measure Thermocline beside its peers (bench --help shows the options).")
final class BenchCommand implements Callable<Integer> {

    private static final String MAIN_CLASS = "io.thermocline.benchmarks.runner.Benchmarks";
    private static final String HEAP = "-Xmx512m";

    @Unmatched private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Workspace workspace = Workspace.fromSystemProperties();
        Path module = workspace.project().resolve("benchmarks");
        build(workspace);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add(HEAP);
        command.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
        command.add("-Dthermocline.benchmarks=" + module);
        command.add("-cp");
        command.add(
                module.resolve("target/classes")
                        + System.getProperty("path.separator")
                        + Files.readString(module.resolve("target/benchmarks.classpath")).strip());
        command.add(MAIN_CLASS);
        command.addAll(arguments);
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    private static void build(Workspace workspace) throws IOException, InterruptedException {
        Path log = workspace.logDirectory().resolve("bench-build.log");
        int exit =
                new ProcessBuilder(
                                workspace.project().resolve("mvnw").toString(),
                                "-B",
                                "-ntp",
                                "-DskipTests",
                                "-pl",
                                "benchmarks",
                                "-am",
                                "package")
                        .directory(workspace.project().toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start()
                        .waitFor();
        if (exit != 0) {
            throw new CommandFailure("The benchmarks could not be built; see " + log);
        }
    }
}
