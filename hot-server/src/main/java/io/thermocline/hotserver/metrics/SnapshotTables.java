package io.thermocline.hotserver.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.thermocline.hotstore.BucketStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Metrics of one collection, filled value by value. Not thread-safe. */
final class SnapshotTables {

    private static final String PREFIX = "thermocline_";

    private final Map<String, Metric> metrics = new LinkedHashMap<>();

    /** A metric that takes values. */
    record Metric(BiConsumer<Double, Labels> values, Supplier<MetricSnapshot> snapshot) {

        void add(double value, Labels labels) {
            values.accept(value, labels);
        }

        /** Leaves out what is not known. */
        void addKnown(long value, Labels labels) {
            if (value != BucketStatus.UNKNOWN) {
                add(value, labels);
            }
        }
    }

    Metric gauge(String name, String help) {
        return metrics.computeIfAbsent(
                name,
                n -> {
                    GaugeSnapshot.Builder builder =
                            GaugeSnapshot.builder().name(PREFIX + name).help(help);
                    return new Metric(
                            (value, labels) ->
                                    builder.dataPoint(
                                            GaugeSnapshot.GaugeDataPointSnapshot.builder()
                                                    .value(value)
                                                    .labels(labels)
                                                    .build()),
                            builder::build);
                });
    }

    Metric counter(String name, String help) {
        return metrics.computeIfAbsent(
                name,
                n -> {
                    CounterSnapshot.Builder builder =
                            CounterSnapshot.builder().name(PREFIX + name).help(help);
                    return new Metric(
                            (value, labels) ->
                                    builder.dataPoint(
                                            CounterSnapshot.CounterDataPointSnapshot.builder()
                                                    .value(value)
                                                    .labels(labels)
                                                    .build()),
                            builder::build);
                });
    }

    MetricSnapshots snapshots() {
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        metrics.values().forEach(metric -> all.metricSnapshot(metric.snapshot().get()));
        return all.build();
    }
}
