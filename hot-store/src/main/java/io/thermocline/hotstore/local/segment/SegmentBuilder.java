package io.thermocline.hotstore.local.segment;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LakeMark;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatchJoiner;
import io.thermocline.hotstore.format.ColumnMapping;
import io.thermocline.hotstore.format.Compression;
import io.thermocline.hotstore.format.EncodedGroup;
import io.thermocline.hotstore.format.FrameGroupEncoder;
import io.thermocline.hotstore.format.FrameGroupReader;
import io.thermocline.hotstore.format.GroupOrigin;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites consecutive frame groups of a bucket into one segment of large, compressed groups: same
 * records, same offsets, same commit timestamps, same marks.
 */
public final class SegmentBuilder {

    static final int MAX_GROUP_ROWS = 64 << 10;
    static final long MAX_GROUP_BYTES = 16L << 20;

    private final HotTableSpec spec;
    private final BufferAllocator allocator;
    private final ColumnMapping columns;
    private final FrameGroupEncoder encoder;
    private final GroupOrigin origin;

    /**
     * @param spec definition of the table
     * @param bucket number of the bucket
     * @param allocator for batches
     */
    public SegmentBuilder(HotTableSpec spec, int bucket, BufferAllocator allocator) {
        this.spec = spec;
        this.allocator = allocator;
        this.columns = new ColumnMapping(spec.rowType(), spec.rowType());
        this.encoder =
                new FrameGroupEncoder(
                        spec.rowType(), spec.partitionKeys(), Compression.ZSTD, allocator);
        this.origin =
                new GroupOrigin(
                        UUID.fromString(spec.tableId()), bucket, spec.schemaVersion(), null);
    }

    /**
     * Builds a segment and makes it durable.
     *
     * @param groups without gaps, at least one; the caller keeps their files
     * @param directory of the bucket's segments
     */
    public Segment build(List<GroupPlace> groups, Path directory, StorageFiles files)
            throws IOException {
        GroupPlace first = groups.get(0);
        try (SegmentWriter writer =
                        new SegmentWriter(
                                files,
                                directory,
                                origin.tableId(),
                                origin.bucket(),
                                first.baseOffset());
                Collector collector = new Collector(writer, first)) {
            for (GroupPlace group : groups) {
                FrameGroupReader reader = GroupReader.open(group);
                if (isLarge(group) || reader.header().isControl()) {
                    reader.verify();
                    collector.copy(group);
                } else {
                    collector.add(reader);
                }
            }
            collector.flush();
            return writer.install();
        }
    }

    // Rewriting it again would change nothing.
    private static boolean isLarge(GroupPlace group) {
        return group.recordCount() >= MAX_GROUP_ROWS / 2 && SegmentWriter.isSegment(group.file());
    }

    /** Rows on their way into the next group. */
    private final class Collector implements AutoCloseable {

        private final SegmentWriter writer;
        private final RowBatchJoiner rows = new RowBatchJoiner(spec.rowType(), allocator);
        private final long[] timestamps = new long[MAX_GROUP_ROWS];
        private final GroupPlace template;
        private long nextOffset;

        /** Mark of the rows that are collected. */
        private @Nullable LakeMark mark;

        private Collector(SegmentWriter writer, GroupPlace first) {
            this.writer = writer;
            this.template = first;
            this.nextOffset = first.baseOffset();
        }

        private void copy(GroupPlace group) throws IOException {
            flush();
            writer.add(group, new ByteBuffer[] {GroupReader.bytes(group)});
            nextOffset = group.endOffset();
        }

        private void add(FrameGroupReader reader) throws IOException {
            if (!Objects.equals(mark, reader.header().origin().mark())) {
                flush();
                mark = reader.header().origin().mark();
            }
            long[] groupTimestamps = reader.commitTimestamps();
            try (RowBatch batch = reader.decode(columns, allocator)) {
                int most = mostRows(batch);
                int from = 0;
                while (from < batch.rowCount()) {
                    int room = Math.min(most, MAX_GROUP_ROWS - rows.rowCount());
                    int to = Math.min(batch.rowCount(), from + room);
                    add(batch.slice(from, to), groupTimestamps, from);
                    from = to;
                }
            }
        }

        /** Most rows of a part, so that no part is larger than a group may be. */
        private int mostRows(RowBatch batch) {
            long parts = batch.sizeBytes() / MAX_GROUP_BYTES + 1;
            return (int) Math.max(1, batch.rowCount() / parts);
        }

        private void add(RowBatch part, long[] groupTimestamps, int from) throws IOException {
            if (rows.sizeBytes() + part.sizeBytes() > MAX_GROUP_BYTES) {
                try {
                    flush();
                } catch (IOException | RuntimeException e) {
                    part.close();
                    throw e;
                }
            }
            int count = part.rowCount();
            System.arraycopy(groupTimestamps, from, timestamps, rows.rowCount(), count);
            rows.add(part);
            if (rows.rowCount() == MAX_GROUP_ROWS) {
                flush();
            }
        }

        private void flush() throws IOException {
            int count = rows.rowCount();
            if (count == 0) {
                return;
            }
            long[] groupTimestamps = Arrays.copyOf(timestamps, count);
            try (RowBatch batch = rows.finish();
                    EncodedGroup group =
                            encoder.encode(origin.marked(mark), batch, groupTimestamps)) {
                group.seal(nextOffset);
                writer.add(
                        new GroupPlace(
                                nextOffset,
                                count,
                                groupTimestamps[0],
                                groupTimestamps[count - 1],
                                template.file(),
                                0,
                                0),
                        new ByteBuffer[] {group.bytes()});
            }
            nextOffset += count;
        }

        @Override
        public void close() {
            rows.close();
        }
    }
}
