package io.thermocline.hotserver.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.ReadFigures;
import io.thermocline.hotstore.TieringReport;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.local.TableFigures;
import io.thermocline.hotstore.local.TieringTotal;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Collects the figures of a store's tables. Opens nothing, so that asking often costs little. */
public final class StoreCollector implements MultiCollector {

    private static final String[] TABLE_LABELS = {"database", "table"};
    private static final double MILLIS_PER_SECOND = 1_000;

    private final Supplier<List<TableFigures>> tables;
    private final IntSupplier openCalls;

    /**
     * @param tables figures of every table
     * @param openCalls calls and streams that clients have open
     */
    public StoreCollector(Supplier<List<TableFigures>> tables, IntSupplier openCalls) {
        this.tables = tables;
        this.openCalls = openCalls;
    }

    @Override
    public MetricSnapshots collect() {
        SnapshotTables metrics = new SnapshotTables();
        metrics.gauge("open_calls", "Calls and streams that clients have open")
                .add(openCalls.getAsInt(), Labels.EMPTY);
        List<TableFigures> all = tables.get();
        metrics.gauge("tables", "Tables with hot data").add(all.size(), Labels.EMPTY);
        for (TableFigures figures : all) {
            Labels labels =
                    Labels.of(
                            TABLE_LABELS,
                            new String[] {
                                figures.spec().path().getDatabaseName(),
                                figures.spec().path().getObjectName()
                            });
            figures.buckets()
                    .forEach(
                            bucket ->
                                    addBucket(
                                            metrics,
                                            bucket,
                                            labels.add("bucket", String.valueOf(bucket.bucket()))));
            addWork(metrics, figures.work(), labels);
            addReads(metrics, figures.reads(), labels);
            addTiering(metrics, figures.tiering(), labels);
        }
        return metrics.snapshots();
    }

    private static void addBucket(SnapshotTables metrics, BucketStatus bucket, Labels labels) {
        metrics.gauge("bucket_first_offset", "First offset that the changelog holds")
                .add(bucket.earliestOffset(), labels);
        metrics.gauge("bucket_tiered_offset", "The lake holds everything below")
                .add(bucket.tieredOffset(), labels);
        metrics.gauge("bucket_readable_offset", "Exclusive end of what readers see")
                .add(bucket.readableEnd(), labels);
        metrics.gauge("bucket_tail_records", "Changelog records that the lake does not hold")
                .add(Math.max(0, bucket.readableEnd() - bucket.tieredOffset()), labels);
        metrics.gauge("bucket_changelog_bytes", "Bytes of the changelog on disk")
                .add(bucket.changelogBytes(), labels);
        metrics.gauge("bucket_leases", "Leases that claim a part of the changelog")
                .add(bucket.leases(), labels);
        metrics.gauge("bucket_applied_offset", "The key index holds the effect of all below")
                .addKnown(bucket.appliedOffset(), labels);
        metrics.gauge("bucket_key_index_rows", "Rows of the key index")
                .addKnown(bucket.keyIndexRows(), labels);
        metrics.gauge("bucket_key_index_bytes", "Bytes of the key index on disk")
                .addKnown(bucket.keyIndexBytes(), labels);
    }

    private static void addWork(SnapshotTables metrics, TableFigures.Work work, Labels labels) {
        metrics.counter("appended_rows", "Rows of acknowledged batches")
                .add(work.appendedRows(), labels);
        metrics.counter("appended_bytes", "Bytes of acknowledged batches, as held in memory")
                .add(work.appendedBytes(), labels);
        metrics.counter("failed_appends", "Batches that were not acknowledged")
                .add(work.failedAppends(), labels);
        metrics.counter("lookups", "Keys and key prefixes looked up").add(work.lookups(), labels);
        metrics.counter("lookup_misses", "Keys and key prefixes without a row")
                .add(work.lookupMisses(), labels);
    }

    private static void addReads(SnapshotTables metrics, ReadFigures reads, Labels labels) {
        String help = "Reads by the tiers that they touched";
        metrics.counter("reads", help).add(reads.hotReads(), labels.add("tiers", "hot"));
        metrics.counter("reads", help).add(reads.lakeReads(), labels.add("tiers", "lake"));
        metrics.counter("reads", help).add(reads.mergedReads(), labels.add("tiers", "both"));
        String rows = "Rows that reads took from a tier";
        metrics.counter("read_rows", rows).add(reads.hotRows(), labels.add("tier", "hot"));
        metrics.counter("read_rows", rows).add(reads.lakeRows(), labels.add("tier", "lake"));
        String bytes = "Bytes that reads took from a tier, as held in memory";
        metrics.counter("read_bytes", bytes).add(reads.hotBytes(), labels.add("tier", "hot"));
        metrics.counter("read_bytes", bytes).add(reads.lakeBytes(), labels.add("tier", "lake"));
    }

    private static void addTiering(SnapshotTables metrics, TieringTotal tiering, Labels labels) {
        String help = "Tiering rounds that wrote to the lake or failed to";
        metrics.counter("tiering_rounds", help)
                .add(tiering.committed(), labels.add("outcome", "committed"));
        metrics.counter("tiering_rounds", help)
                .add(tiering.failed(), labels.add("outcome", "failed"));
        metrics.counter("tiering_rows", "Rows written to the lake").add(tiering.rows(), labels);
        metrics.counter("tiering_files", "Data files written to the lake")
                .add(tiering.files(), labels);
        metrics.counter("tiering_bytes", "Bytes of the data files").add(tiering.bytes(), labels);
        metrics.counter("foreign_commits", "Commits of other programs that tiering has seen")
                .add(tiering.foreignCommits(), labels);
        TieringReport last = tiering.last();
        TieringResult result = last == null ? null : last.result();
        if (result == null) {
            return;
        }
        metrics.gauge("tiering_last_start_seconds", "When the last committed round began")
                .add(last.startMillis() / MILLIS_PER_SECOND, labels);
        metrics.gauge("tiering_last_duration_seconds", "How long the last committed round took")
                .add(last.durationMillis() / MILLIS_PER_SECOND, labels);
        if (result.freshnessMillis() != null) {
            metrics.gauge(
                            "tiering_last_freshness_seconds",
                            "Age of the oldest record of the last round when it was committed")
                    .add(result.freshnessMillis() / MILLIS_PER_SECOND, labels);
        }
    }
}
