package io.thermocline.benchmarks.runner;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A system whose driver runs on the class path of this module and starts what it needs.
 *
 * @param name in tables and files
 * @param mainClass of its driver, which takes the data directory as its argument
 * @param directory what its driver is given
 * @param dataDirectory where its data is, in or below {@code directory}
 */
record OwnSystem(String name, String mainClass, Path directory, Path dataDirectory)
        implements BenchedSystem {

    private static final List<String> DRIVER_OPTIONS = List.of("-Xmx1g");

    @Override
    public void start() {
        // The driver does.
    }

    @Override
    public JavaCommand driver() {
        return new JavaCommand(
                DRIVER_OPTIONS,
                System.getProperty("java.class.path"),
                mainClass,
                List.of(directory.toString()));
    }

    @Override
    public Map<String, Long> processes() {
        return Map.of();
    }

    @Override
    public void crash(Map<String, Long> processes) {
        ProcessHandle.of(processes.get(Session.SERVER)).orElseThrow().destroyForcibly();
    }

    @Override
    public void close() {
        // Ended by the driver.
    }
}
