package io.thermocline.benchmarks.runner;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A system whose driver runs on the class path of this module and starts what it needs.
 *
 * @param name in tables and files
 * @param driver its driver
 * @param flinkDriver what runs Flink jobs against it; the same as {@code driver} if that does
 * @param dataDirectory where its data is
 * @param warehouse where its lake tables are, if it has any
 */
record OwnSystem(
        String name,
        JavaCommand driver,
        JavaCommand flinkDriver,
        Path dataDirectory,
        Path warehouse)
        implements BenchedSystem {

    private static final String HEAP = "-Xmx1g";

    /** A program that is told where its data is, after other arguments. */
    static JavaCommand command(Class<?> mainClass, List<String> arguments) {
        return new JavaCommand(
                List.of(HEAP),
                System.getProperty("java.class.path"),
                mainClass.getName(),
                arguments);
    }

    /** A program that runs Flink jobs in its process. */
    static JavaCommand flinkCommand(Class<?> mainClass, List<String> arguments) {
        return new JavaCommand(
                JavaCommand.flinkOptions(Systems.FLINK_HEAP),
                System.getProperty("java.class.path"),
                mainClass.getName(),
                arguments);
    }

    @Override
    public void start() {
        // The driver does.
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
