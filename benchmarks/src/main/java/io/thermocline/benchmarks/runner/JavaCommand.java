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
