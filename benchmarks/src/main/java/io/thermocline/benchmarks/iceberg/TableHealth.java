package io.thermocline.benchmarks.iceberg;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.CloseableIterable;

/**
 * What a query finds in a table.
 *
 * @param dataFiles data files of the newest snapshot
 * @param deleteFiles its delete files
 * @param deletes entries in them
 * @param snapshots snapshots of the table
 * @param planMillis median time of planning a scan of everything, its metadata loaded anew
 */
public record TableHealth(
        long dataFiles, long deleteFiles, long deletes, int snapshots, double planMillis) {

    private static final int PLANS = 5;
    private static final double NANOS_PER_MILLI = 1e6;

    /** Looks at a table of a Hadoop catalog. */
    public static TableHealth of(Path table) throws IOException {
        double[] millis = new double[PLANS];
        Table loaded = load(table);
        for (int i = 0; i < PLANS; i++) {
            long start = System.nanoTime();
            loaded = load(table);
            try (CloseableIterable<FileScanTask> tasks = loaded.newScan().planFiles()) {
                tasks.forEach(FileScanTask::deletes);
            }
            millis[i] = (System.nanoTime() - start) / NANOS_PER_MILLI;
        }
        Arrays.sort(millis);
        Snapshot current = loaded.currentSnapshot();
        Map<String, String> summary = current.summary();
        int snapshots = 0;
        for (Snapshot ignored : loaded.snapshots()) {
            snapshots++;
        }
        return new TableHealth(
                number(summary, "total-data-files"),
                number(summary, "total-delete-files"),
                number(summary, "total-equality-deletes")
                        + number(summary, "total-position-deletes"),
                snapshots,
                millis[PLANS / 2]);
    }

    static Table load(Path table) {
        return new HadoopTables(new Configuration()).load(table.toString());
    }

    private static long number(Map<String, String> summary, String name) {
        return Long.parseLong(summary.getOrDefault(name, "0"));
    }
}
