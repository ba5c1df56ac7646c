package io.thermocline.cli;

import io.thermocline.lake.LakeConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the command line keeps things: the installation (jars and configuration, read only) and the
 * {@code .thermocline} directory of the directory that it was started in.
 *
 * @param project root of the project, with {@code sql-examples}
 * @param installation directory with {@code lib}, {@code opt}, {@code cli} and {@code conf}
 * @param state {@code .thermocline}: warehouse, logs, process files
 */
public record Workspace(Path project, Path installation, Path state) {

    /** Where the start script said that things are. */
    public static Workspace fromSystemProperties() {
        return new Workspace(
                directory("thermocline.project"),
                directory("thermocline.installation"),
                directory("thermocline.state"));
    }

    private static Path directory(String property) {
        String value = System.getProperty(property);
        if (value == null) {
            throw new CommandFailure(
                    "The system property '"
                            + property
                            + "' is not set. Start the command line with the ./thermocline script.");
        }
        return Path.of(value).toAbsolutePath().normalize();
    }

    /** The warehouse of {@code sql} when none is named; each lake has its own. */
    public Path defaultWarehouse(String lake) {
        return state.resolve(
                lake.equals(LakeConfig.DEFAULT_LAKE) ? "warehouse" : lake + "-warehouse");
    }

    /** Directory of log files; exists after the call. */
    public Path logDirectory() {
        return create(state.resolve("log"));
    }

    /** Directory of the session cluster's files; exists after the call. */
    public Path clusterDirectory() {
        return create(state.resolve("cluster"));
    }

    private static Path create(Path directory) {
        try {
            return Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot create directory " + directory, e);
        }
    }
}
