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

    /** Servers started here, by role. */
    Map<String, Long> processes();

    /** Where its data is. */
    Path dataDirectory();

    /**
     * Kills the server that holds the data, as {@code kill -9} does, and starts it again if the
     * client does not.
     *
     * @param processes the system's processes by role
     */
    void crash(Map<String, Long> processes) throws IOException;

    /** Ends what {@link #start} started. */
    @Override
    void close();
}
