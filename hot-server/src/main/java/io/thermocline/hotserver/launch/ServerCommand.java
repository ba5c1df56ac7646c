package io.thermocline.hotserver.launch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.lake.LakeConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a server is told: the warehouse on the command line, and the options of lake and server as
 * JSON through standard input or a file, because they may hold secrets.
 *
 * @param lake where the lake is
 * @param options the engine's options
 * @param logFile where the server writes its log; empty: standard output
 * @param adopt whether to take a store over from the host that the record names
 */
public record ServerCommand(
        LakeConfig lake, EngineOptions options, Optional<Path> logFile, boolean adopt) {

    private static final String WAREHOUSE = "--warehouse";
    private static final String LAKE = "--lake";
    private static final String LOG_FILE = "--log-file";
    private static final String OPTIONS_FILE = "--options-file";
    private static final String OPTIONS_STDIN = "--options-stdin";
    private static final String ADOPT = "--adopt";
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Usage, as printed for wrong arguments. */
    public static final String USAGE =
            "usage: --warehouse <path or URI> [--lake paimon|iceberg] [--options-file <file> |"
                    + " --options-stdin] [--log-file <file>] [--adopt] [--server.<option> <value>]...";

    /**
     * Reads arguments.
     *
     * @throws HotStoreException {@code INVALID_ARGUMENT} naming the argument
     */
    public static ServerCommand parse(String[] arguments) {
        Map<String, String> server = new TreeMap<>();
        Map<String, String> lake = new TreeMap<>();
        Map<String, String> plain = new TreeMap<>();
        boolean adopt = false;
        Iterator<String> rest = List.of(arguments).iterator();
        while (rest.hasNext()) {
            String name = rest.next();
            switch (name) {
                case ADOPT -> adopt = true;
                case OPTIONS_STDIN -> readOptions(null, lake, server);
                case OPTIONS_FILE -> readOptions(Path.of(value(name, rest)), lake, server);
                case WAREHOUSE, LAKE, LOG_FILE -> plain.put(name, value(name, rest));
                default -> {
                    if (!name.startsWith("--server.")) {
                        throw invalid("unknown argument '" + name + "'; " + USAGE);
                    }
                    server.put(name.substring(2), value(name, rest));
                }
            }
        }
        if (!plain.containsKey(WAREHOUSE)) {
            throw invalid(WAREHOUSE + " is missing; " + USAGE);
        }
        return new ServerCommand(
                new LakeConfig(
                        plain.getOrDefault(LAKE, LakeConfig.DEFAULT_LAKE),
                        plain.get(WAREHOUSE),
                        lake),
                new EngineOptions(server),
                Optional.ofNullable(plain.get(LOG_FILE)).map(Path::of),
                adopt);
    }

    /** Arguments for a child process that gets {@link #optionsJson} on its standard input. */
    List<String> arguments() {
        return List.of(
                WAREHOUSE,
                lake.warehouse(),
                LAKE,
                lake.lake(),
                LOG_FILE,
                logFile.orElseThrow().toString(),
                OPTIONS_STDIN);
    }

    byte[] optionsJson() {
        ObjectNode node = JSON.createObjectNode();
        node.set("lake", JSON.valueToTree(lake.options()));
        node.set("server", JSON.valueToTree(options.values()));
        try {
            return JSON.writeValueAsBytes(node);
        } catch (IOException e) {
            throw new HotStoreException(ErrorCode.INTERNAL, "cannot write the server's options", e);
        }
    }

    private static void readOptions(
            @Nullable Path file, Map<String, String> lake, Map<String, String> server) {
        try {
            JsonNode node =
                    JSON.readTree(
                            file == null ? System.in.readAllBytes() : Files.readAllBytes(file));
            copy(node.path("lake"), lake);
            copy(node.path("server"), server);
        } catch (IOException e) {
            throw invalid(
                    "the options in "
                            + (file == null ? "standard input" : file)
                            + " cannot be read as JSON {\"lake\": {…}, \"server\": {…}}: "
                            + e.getMessage());
        }
    }

    private static void copy(JsonNode node, Map<String, String> options) {
        node.fields()
                .forEachRemaining(
                        entry -> options.putIfAbsent(entry.getKey(), entry.getValue().asText()));
    }

    private static String value(String name, Iterator<String> rest) {
        if (!rest.hasNext()) {
            throw invalid("argument '" + name + "' needs a value; " + USAGE);
        }
        return rest.next();
    }

    private static HotStoreException invalid(String message) {
        return new HotStoreException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
