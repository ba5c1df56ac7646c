package io.thermocline.benchmarks.runner;

import io.thermocline.hotstore.arrow.ArrowMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A Java program.
 *
 * @param options of the JVM, beside the one that Arrow needs
 * @param classPath where its classes are
 * @param mainClass fully qualified name
 * @param arguments of the program
 */
record JavaCommand(
        List<String> options, String classPath, String mainClass, List<String> arguments) {

    private static final List<String> FLINK_OPENS =
            List.of(
                    "java.lang",
                    "java.net",
                    "java.io",
                    "sun.nio.ch",
                    "java.lang.reflect",
                    "java.text",
                    "java.time",
                    "java.util",
                    "java.util.concurrent",
                    "java.util.concurrent.atomic",
                    "java.util.concurrent.locks");

    /** Flags that Flink's stock configuration has. */
    static List<String> flinkOptions(String heap) {
        List<String> options = new ArrayList<>(List.of(heap));
        for (String opened : FLINK_OPENS) {
            options.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
        }
        return options;
    }

    List<String> line() {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.add(ArrowMemory.REQUIRED_JVM_OPTION);
        line.addAll(options);
        line.add("-cp");
        line.add(classPath);
        line.add(mainClass);
        line.addAll(arguments);
        return line;
    }
}
