package io.thermocline.benchmarks.runner;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Appends measurements to a file, one JSON object a line. */
final class JsonLines {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;

    JsonLines(Path file) {
        this.file = file;
    }

    /** Reads what was added, and by other runs before. */
    List<Measurement> read() throws IOException {
        List<Measurement> measurements = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            measurements.add(JSON.readValue(line, Measurement.class));
        }
        return measurements;
    }

    void add(Measurement measurement) throws IOException {
        Files.writeString(
                file,
                JSON.writeValueAsString(measurement) + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }
}
