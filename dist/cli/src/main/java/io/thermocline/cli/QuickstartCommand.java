package io.thermocline.cli;

import io.thermocline.cli.server.WarehouseServer;
import io.thermocline.cli.sql.LocalFlink;
import io.thermocline.cli.sql.ScriptRunner;
import io.thermocline.cli.sql.SqlSession;
import io.thermocline.lake.LakeConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code thermocline quickstart}: the example on real flights, from an empty warehouse. */
@Command(
        name = "quickstart",
        description = {
            "Run sql-examples/quickstart.sql on 20,000 real flights, step by step.",
            "Starts from an empty warehouse each time and leaves nothing running."
        },
        mixinStandardHelpOptions = true)
final class QuickstartCommand implements Callable<Integer> {

    private static final String SCRIPT = "sql-examples/quickstart.sql";

    /** The warehouse as the script names it, and what comes before it in CREATE CATALOG. */
    private static final String WAREHOUSE = "'.thermocline/quickstart'";

    private static final String TYPE = "'type' = 'thermocline'";

    @Option(
            names = "--lake",
            paramLabel = "LAKE",
            defaultValue = LakeConfig.DEFAULT_LAKE,
            description = "The lake's format: paimon or iceberg (default: ${DEFAULT-VALUE}).")
    private String lake;

    @Override
    public Integer call() throws Exception {
        Workspace workspace = Workspace.fromSystemProperties();
        boolean isDefault = lake.equals(LakeConfig.DEFAULT_LAKE);
        Path warehouse = workspace.state().resolve(isDefault ? "quickstart" : lake + "-quickstart");
        String content =
                Files.readString(workspace.project().resolve(SCRIPT))
                        .replace("sql-examples/data", workspace.project() + "/sql-examples/data")
                        .replace(WAREHOUSE, "'" + warehouse + "'");
        if (!isDefault) {
            content = content.replace(TYPE, TYPE + ", 'lake' = '" + lake + "'");
        }
        WarehouseServer server =
                new WarehouseServer(new LakeConfig(lake, warehouse.toString(), Map.of()));
        server.stop();
        delete(warehouse);
        long start = System.nanoTime();
        System.out.println("Starting Flink ...");
        try (LocalFlink flink = LocalFlink.start();
                SqlSession session = SqlSession.open(flink.restAddress(), new Configuration())) {
            System.out.println("Flink runs in this process, web UI " + flink.restAddress());
            System.out.println();
            new ScriptRunner(session, ScriptRunner.standardOutput(), true).run(SCRIPT, content);
        } finally {
            server.stop();
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        System.out.println("Done in " + took.toSeconds() + " s; nothing is left running.");
        System.out.println(
                "Look around yourself: ./thermocline sql"
                        + (isDefault ? "" : " --lake " + lake)
                        + " --warehouse "
                        + warehouse);
        return 0;
    }

    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.delete(file);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
