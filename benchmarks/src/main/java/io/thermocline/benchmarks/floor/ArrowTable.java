package io.thermocline.benchmarks.floor;

import io.thermocline.benchmarks.driver.BenchRow;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TargetTable;
import io.thermocline.hotstore.arrow.ArrowMemory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A log in an Arrow IPC file. Columns that are read alone are in a file of their own, which is
 * written before the first measured scan of them: a reader cannot do with less.
 */
final class ArrowTable implements TargetTable {

    private static final int ROWS_PER_BATCH = 16_384;

    /** The level of segments. */
    private static final int ZSTD_LEVEL = 1;

    private static final int LAST_CHARACTER = 15;

    private final Path directory;
    private final Shape shape;
    private final int[] allColumns;

    ArrowTable(Path directory, Shape shape) {
        this.directory = directory;
        this.shape = shape;
        this.allColumns = new int[shape.columnCount()];
        Arrays.setAll(allColumns, column -> column);
    }

    private Path file(int[] columns) {
        return directory.resolve(
                columns.length == shape.columnCount()
                        ? "all.arrow"
                        : Arrays.stream(columns)
                                .mapToObj(String::valueOf)
                                .collect(Collectors.joining("-", "", ".arrow")));
    }

    private Schema schema(int[] columns) {
        List<Field> fields = new ArrayList<>();
        for (int column : columns) {
            fields.add(
                    Field.nullable(
                            shape.name(column),
                            switch (shape.kind(column)) {
                                case INT -> new ArrowType.Int(Integer.SIZE, true);
                                case BIGINT -> new ArrowType.Int(Long.SIZE, true);
                                case DOUBLE ->
                                        new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
                                case STRING -> ArrowType.Utf8.INSTANCE;
                            }));
        }
        return new Schema(fields);
    }

    @Override
    public RowWriter writer() throws IOException {
        return new Writer(allColumns);
    }

    /** Writes a file in batches. */
    private final class Writer implements RowWriter {

        private final int[] columns;
        private final BufferAllocator allocator = ArrowMemory.newAllocator("bench-arrow");
        private final VectorSchemaRoot root;
        private final FileChannel channel;
        private final ArrowFileWriter writer;
        private int count;
        private boolean ended;

        private Writer(int[] columns) throws IOException {
            this.columns = columns;
            root = VectorSchemaRoot.create(schema(columns), allocator);
            channel =
                    FileChannel.open(
                            file(columns),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING,
                            StandardOpenOption.WRITE);
            writer =
                    new ArrowFileWriter(
                            root,
                            null,
                            channel,
                            null,
                            IpcOption.DEFAULT,
                            CommonsCompressionFactory.INSTANCE,
                            CodecType.ZSTD,
                            Optional.of(ZSTD_LEVEL));
            writer.start();
            for (FieldVector vector : root.getFieldVectors()) {
                vector.setInitialCapacity(ROWS_PER_BATCH);
                vector.allocateNew();
            }
        }

        @Override
        public void write(BenchRow row, Runnable acknowledged) throws IOException {
            for (int i = 0; i < columns.length; i++) {
                FieldVector vector = root.getVector(i);
                int column = columns[i];
                switch (shape.kind(column)) {
                    case INT -> ((IntVector) vector).setSafe(count, (int) row.integer(column));
                    case BIGINT -> ((BigIntVector) vector).setSafe(count, row.integer(column));
                    case DOUBLE -> ((Float8Vector) vector).setSafe(count, row.real(column));
                    case STRING -> ((VarCharVector) vector).setSafe(count, row.text(column));
                }
            }
            if (++count == ROWS_PER_BATCH) {
                writeBatch();
            }
        }

        private void writeBatch() throws IOException {
            root.setRowCount(count);
            writer.writeBatch();
            count = 0;
        }

        @Override
        public void flush() throws IOException {
            if (count > 0) {
                writeBatch();
            }
            writer.end();
            ended = true;
        }

        @Override
        public void close() throws IOException {
            if (!ended) {
                flush();
            }
            writer.close();
            channel.close();
            root.close();
            allocator.close();
        }
    }

    @Override
    public ScanTotals scan(int[] columns) throws IOException {
        long rows = 0;
        long checksum = 0;
        try (BufferAllocator allocator = ArrowMemory.newAllocator("bench-arrow");
                FileChannel channel = FileChannel.open(file(columns), StandardOpenOption.READ);
                ArrowFileReader reader =
                        new ArrowFileReader(
                                channel, allocator, CommonsCompressionFactory.INSTANCE)) {
            VectorSchemaRoot root = reader.getVectorSchemaRoot();
            while (reader.loadNextBatch()) {
                for (int i = 0; i < columns.length; i++) {
                    checksum += touch(columns[i], root.getVector(i), root.getRowCount());
                }
                rows += root.getRowCount();
            }
        }
        return new ScanTotals(rows, checksum);
    }

    private long touch(int column, FieldVector vector, int rows) {
        long sum = 0;
        switch (shape.kind(column)) {
            case INT -> {
                IntVector ints = (IntVector) vector;
                for (int row = 0; row < rows; row++) {
                    sum += ints.get(row);
                }
            }
            case BIGINT -> {
                BigIntVector longs = (BigIntVector) vector;
                for (int row = 0; row < rows; row++) {
                    sum += longs.get(row);
                }
            }
            case DOUBLE -> {
                Float8Vector doubles = (Float8Vector) vector;
                for (int row = 0; row < rows; row++) {
                    sum += (long) doubles.get(row);
                }
            }
            case STRING -> {
                for (int row = 0; row < rows; row++) {
                    long start = vector.getOffsetBuffer().getInt((long) row * Integer.BYTES);
                    sum += vector.getDataBuffer().getByte(start + LAST_CHARACTER);
                }
            }
        }
        return sum;
    }

    /** Makes the file of columns that are read alone. */
    @Override
    public void prepareScan(int[] columns) throws IOException {
        if (Files.exists(file(columns))) {
            return;
        }
        BenchRow row = new BenchRow(shape);
        try (BufferAllocator allocator = ArrowMemory.newAllocator("bench-arrow");
                FileChannel channel = FileChannel.open(file(allColumns), StandardOpenOption.READ);
                ArrowFileReader reader =
                        new ArrowFileReader(
                                channel, allocator, CommonsCompressionFactory.INSTANCE);
                Writer writer = new Writer(columns)) {
            VectorSchemaRoot root = reader.getVectorSchemaRoot();
            while (reader.loadNextBatch()) {
                for (int i = 0; i < root.getRowCount(); i++) {
                    copy(root, i, columns, row);
                    writer.write(row, null);
                }
            }
        }
    }

    private void copy(VectorSchemaRoot root, int index, int[] columns, BenchRow row) {
        for (int column : columns) {
            FieldVector vector = root.getVector(column);
            switch (shape.kind(column)) {
                case INT -> row.setInteger(column, ((IntVector) vector).get(index));
                case BIGINT -> row.setInteger(column, ((BigIntVector) vector).get(index));
                case DOUBLE -> row.setReal(column, ((Float8Vector) vector).get(index));
                case STRING -> row.setText(column, ((VarCharVector) vector).get(index));
            }
        }
    }

    @Override
    public void close() {
        // Files are opened by writers and scans.
    }
}
