package io.thermocline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class ThermoclineTest {

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandExplainsItself(List<String> command) {
        StringWriter output = new StringWriter();
        List<String> arguments = new ArrayList<>(command);
        arguments.add("--help");

        int exitCode =
                Thermocline.commandLine()
                        .setOut(new PrintWriter(output))
                        .execute(arguments.toArray(String[]::new));

        assertThat(exitCode).isZero();
        assertThat(output.toString())
                .contains("Usage: " + String.join(" ", with("thermocline", command)));
    }

    /** Every command and every command below it; the help of {@code bench} is another program's. */
    static List<List<String>> commands() {
        List<List<String>> found = new ArrayList<>();
        collect(Thermocline.commandLine(), List.of(), found);
        found.remove(List.of("bench"));
        assertThat(found).contains(List.of(), List.of("sql"), List.of("cluster", "start"));
        return found;
    }

    private static void collect(CommandLine at, List<String> path, List<List<String>> found) {
        found.add(path);
        at.getSubcommands()
                .forEach(
                        (name, command) -> {
                            List<String> below = new ArrayList<>(path);
                            below.add(name);
                            collect(command, below, found);
                        });
    }

    private static List<String> with(String first, List<String> others) {
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(others);
        return all;
    }
}
