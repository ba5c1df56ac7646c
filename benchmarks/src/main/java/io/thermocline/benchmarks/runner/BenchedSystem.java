package io.thermocline.benchmarks.runner;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** A system that takes part: how to start what it needs, and what to start as its driver. */
interface BenchedSystem extends AutoCloseable {

    /** Name in tables and files. */
    String name();

    /** Starts its servers, if the driver does not. */
    void start() throws IOException;

    /** The program that drives it. */
    JavaCommand driver();

    /** The program that runs Flink jobs against it; by default the driver itself does. */
    default JavaCommand flinkDriver() throws IOException {
        return driver();
    }

    /** Servers started here, by role. */
    Map<String, Long> processes();

    /** Where its data is. */
    Path dataDirectory();

    /** Directory of the warehouse that its lake tables are in. */
    default Path warehouse() {
        throw new UnsupportedOperationException(name() + " has no lake");
    }

    /**
     * Kills the server that holds the data, as {@code kill -9} does, and starts it again if the
     * client does not.
     *
     * @param processes the system's processes by role
     */
    default void crash(Map<String, Long> processes) throws IOException {
        throw new UnsupportedOperationException(name() + " is not crashed");
    }

    /** Ends what {@link #start} started. */
    @Override
    void close();
}
