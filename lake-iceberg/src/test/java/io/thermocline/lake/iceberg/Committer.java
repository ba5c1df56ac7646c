package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.table.catalog.ObjectPath;

/** A process that commits to a table as fast as it can. */
final class Committer {

    static final int COMMITS = 15;

    private static final ObjectPath PATH = new ObjectPath("default", "t");

    private Committer() {}

    static Process start(Path warehouse) throws IOException {
        return new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Committer.class.getName(),
                        warehouse.toString())
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    public static void main(String[] arguments) {
        CatalogAccess access = CatalogAccess.of(new LakeConfig("iceberg", arguments[0], Map.of()));
        for (int i = 0; i < COMMITS; i++) {
            access.withTable(
                    PATH,
                    table -> {
                        table.updateProperties().set("commit.retry.num-retries", "100").commit();
                        table.newAppend().commit();
                        return null;
                    });
        }
    }
}
