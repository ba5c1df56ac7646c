package io.thermocline.benchmarks.flink;

import io.thermocline.benchmarks.driver.BenchRow;
import io.thermocline.benchmarks.driver.Fields;
import io.thermocline.benchmarks.driver.Operations;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/** The benchmarks' rows as a source. */
final class RowSource {

    private static final AtomicLong EMITTED = new AtomicLong();

    private RowSource() {}

    /**
     * Rows with the keys and the version that a {@code write} operation asks for, as fast as they
     * are taken.
     */
    static DataStream<RowData> of(
            StreamExecutionEnvironment environment, Shape shape, TableKey key, Fields command) {
        long rows = command.number("rows");
        long keys = Long.parseLong(command.get("keys", Long.toString(rows)));
        long version = command.number("version");
        boolean permuted = command.get("order").equals("permuted");
        GeneratorFunction<Long, RowData> generator =
                number -> {
                    BenchRow row = new BenchRow(shape);
                    long of =
                            permuted
                                    ? Operations.permuted(number, keys)
                                    : random(number + version, keys);
                    key.fill(shape, row, of, version);
                    return BenchRows.toRowData(shape, row);
                };
        return source(environment, shape, key, generator, rows, RateLimiterStrategy.noOp());
    }

    /** Narrow rows of random keys that carry their number and the time they were made at. */
    static DataStream<RowData> timed(
            StreamExecutionEnvironment environment, long rows, long keys, int perSecond) {
        return source(
                        environment,
                        Shape.NARROW,
                        TableKey.SIMPLE,
                        number -> timedRow(number, keys),
                        rows,
                        RateLimiterStrategy.perSecond(perSecond))
                .setParallelism(1);
    }

    /** Narrow rows of random keys without end: so many, then so many after every checkpoint. */
    static DataStream<RowData> perCheckpoint(
            StreamExecutionEnvironment environment, long keys, int rows) {
        EMITTED.set(0);
        return source(
                        environment,
                        Shape.NARROW,
                        TableKey.SIMPLE,
                        number -> {
                            EMITTED.incrementAndGet();
                            return timedRow(number, keys);
                        },
                        Long.MAX_VALUE,
                        RateLimiterStrategy.perCheckpoint(rows))
                .setParallelism(1);
    }

    /** How many rows {@link #perCheckpoint} has made in this process since it was called. */
    static long emitted() {
        return EMITTED.get();
    }

    private static RowData timedRow(long number, long keys) {
        BenchRow row = new BenchRow(Shape.NARROW);
        Shape.NARROW.fill(row, random(number, keys), 0);
        row.setInteger(Shape.NUMBER, number);
        row.setInteger(Shape.TIME, System.nanoTime());
        return BenchRows.toRowData(Shape.NARROW, row);
    }

    private static long random(long number, long keys) {
        return Long.remainderUnsigned(Shape.mix(number), keys);
    }

    private static DataStreamSource<RowData> source(
            StreamExecutionEnvironment environment,
            Shape shape,
            TableKey key,
            GeneratorFunction<Long, RowData> generator,
            long rows,
            RateLimiterStrategy rate) {
        return environment.fromSource(
                new DataGeneratorSource<>(
                        generator, rows, rate, InternalTypeInfo.of(BenchRows.rowType(shape, key))),
                WatermarkStrategy.noWatermarks(),
                "rows");
    }
}
