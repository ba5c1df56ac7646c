package io.thermocline.e2e.sql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The hot store's server process of a warehouse, as its endpoint file tells of it. */
final class ServerProcess {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path endpointFile;

    private ServerProcess(Path hotDirectory) {
        this.endpointFile = hotDirectory.resolve("endpoint.json");
    }

    /** The server of a local warehouse whose options say nothing of its hot tier's place. */
    static ServerProcess ofWarehouse(Path warehouse) {
        return ofHotDirectory(warehouse.resolve(".thermocline/hot"));
    }

    /** The server whose hot tier is in a directory. */
    static ServerProcess ofHotDirectory(Path hotDirectory) {
        return new ServerProcess(hotDirectory);
    }

    /** kill -9, and waits for the end. Does nothing if no server runs. */
    void kill() throws Exception {
        Optional<ProcessHandle> server = find();
        if (server.isPresent()) {
            server.get().destroyForcibly();
            awaitEnd(server.get());
        }
    }

    /** Asks it to end, and waits for it. Does nothing if no server runs. */
    void stop() throws Exception {
        Optional<ProcessHandle> server = find();
        if (server.isPresent()) {
            server.get().destroy();
            awaitEnd(server.get());
        }
    }

    /** Process id, if a server runs. */
    Optional<Long> pid() throws IOException {
        return find().map(ProcessHandle::pid);
    }

    private Optional<ProcessHandle> find() throws IOException {
        try {
            long pid = JSON.readTree(Files.readAllBytes(endpointFile)).get("pid").asLong();
            return ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static void awaitEnd(ProcessHandle server) throws Exception {
        server.onExit().get(SqlSession.TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }
}
