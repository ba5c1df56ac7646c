package io.thermocline.benchmarks.micro;

import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import io.thermocline.benchmarks.flink.BenchRows;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.format.Compression;
import io.thermocline.hotstore.format.EncodedGroup;
import io.thermocline.hotstore.format.FrameGroupEncoder;
import io.thermocline.hotstore.format.FrameGroupReader;
import io.thermocline.hotstore.format.FrameSource;
import io.thermocline.hotstore.format.GroupOrigin;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.types.logical.RowType;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Encoding and decoding frame groups of 8,192 rows; nanoseconds a row. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 1, jvmArgsAppend = ArrowMemory.REQUIRED_JVM_OPTION)
public class CodecBenchmark {

    private static final int ROWS = 8_192;

    @Param({"NARROW", "WIDE"})
    private Shape shape;

    @Param({"NONE", "ZSTD"})
    private Compression compression;

    private BufferAllocator allocator;
    private RowType rowType;
    private RowType twoColumns;
    private RowBatch rows;
    private FrameGroupEncoder encoder;
    private GroupOrigin origin;
    private EncodedGroup encoded;

    @Setup(Level.Trial)
    public void setUp() {
        allocator = ArrowMemory.newAllocator("codec-benchmark");
        rowType = BenchRows.rowType(shape, TableKey.NONE);
        twoColumns =
                new RowType(false, List.of(rowType.getFields().get(4), rowType.getFields().get(7)));
        rows = BenchBatches.of(shape, TableKey.NONE, ROWS, key -> key, 0, allocator);
        encoder = new FrameGroupEncoder(rowType, List.of(), compression, allocator);
        origin = new GroupOrigin(UUID.randomUUID(), 0, 0, null);
        encoded = encoder.encode(origin, rows);
        encoded.seal(0, 1);
    }

    @TearDown(Level.Trial)
    public void tearDown() {
        encoded.close();
        rows.close();
        allocator.close();
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public int encode() {
        try (EncodedGroup group = encoder.encode(origin, rows)) {
            return group.totalBytes();
        }
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public int decodeAll() {
        return decode(rowType);
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public int decodeTwoColumns() {
        return decode(twoColumns);
    }

    private int decode(RowType wanted) {
        FrameGroupReader reader =
                FrameGroupReader.open(FrameSource.of(encoded.bytes(), "benchmark"), 0);
        try (RowBatch batch = reader.decode(rowType, wanted, allocator)) {
            return batch.rowCount();
        }
    }
}
