package io.thermocline.cli;

import io.thermocline.cli.cluster.SessionCluster;
import io.thermocline.cli.sql.LocalFlink;
import io.thermocline.cli.sql.ScriptRunner;
import io.thermocline.cli.sql.SqlSession;
import io.thermocline.lake.LakeConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code thermocline sql}: Flink's SQL client with the catalog ready. */
@Command(
        name = "sql",
        description = {
            "Open Flink's SQL client with the catalog 'thermocline' ready.",
            "Jobs run in this process and end with it; with --cluster they run on the session"
                    + " cluster and go on."
        },
        mixinStandardHelpOptions = true)
final class SqlCommand implements Callable<Integer> {

    private static final String CATALOG = "thermocline";

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description =
                    "Run the statements of FILE, print the results, and end; exit code 1 when one"
                            + " fails.")
    private Path file;

    @Option(
            names = {"-e", "--execute"},
            paramLabel = "SQL",
            description = "Run the statements in SQL as a file would.")
    private String statements;

    @Option(
            names = "--cluster",
            description = "Use the session cluster of 'thermocline cluster start'.")
    private boolean cluster;

    @Mixin private WarehouseLocation location;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "Setting of the session, as SET 'KEY' = 'VALUE' would make it.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Override
    public Integer call() throws Exception {
        if (file != null && statements != null) {
            throw new CommandFailure("Give either --file or --execute, not both.");
        }
        String script = file == null ? statements : read(file);
        Workspace workspace = Workspace.fromSystemProperties();
        if (cluster) {
            URI rest = new SessionCluster(workspace).requireRunning();
            run(workspace, rest, script);
        } else {
            try (LocalFlink flink = LocalFlink.start()) {
                run(workspace, flink.restAddress(), script);
            }
        }
        return 0;
    }

    private void run(Workspace workspace, URI rest, String script) throws IOException {
        try (SqlSession session = SqlSession.open(rest, Configuration.fromMap(settings))) {
            session.initialize(catalogStatements(workspace));
            if (script == null) {
                System.out.println("Web UI: " + rest);
                session.interact(workspace.state().resolve("sql-history"));
            } else {
                String name = file == null ? "--execute" : file.toString();
                new ScriptRunner(session, ScriptRunner.standardOutput(), false).run(name, script);
            }
        }
    }

    private List<String> catalogStatements(Workspace workspace) {
        LakeConfig lake = location.resolve(workspace);
        Map<String, String> options = new LinkedHashMap<>();
        options.put("type", CATALOG);
        options.put("warehouse", lake.warehouse());
        options.put("lake", lake.lake());
        lake.options().forEach((key, value) -> options.put("lake." + key, value));
        String with =
                options.entrySet().stream()
                        .map(option -> quoted(option.getKey()) + " = " + quoted(option.getValue()))
                        .collect(Collectors.joining(", "));
        return List.of(
                "CREATE CATALOG " + CATALOG + " WITH (" + with + ")", "USE CATALOG " + CATALOG);
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    private static String read(Path file) throws IOException {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new CommandFailure("There is no file " + file.toAbsolutePath() + ".", e);
        }
    }
}
