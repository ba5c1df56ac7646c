package io.thermocline.hotstore.local.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.local.file.StorageFiles;
import io.thermocline.hotstore.local.keyindex.KeyIndex;
import io.thermocline.hotstore.local.keyindex.KeyIndexMemory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A round that reached one bucket's key index, and not the others', is tried again as a whole. */
class PartialRoundTest {

    private static final RowType ROW_TYPE =
            RowType.of(false, new LogicalType[] {new BigIntType(false)}, new String[] {"id"});

    @TempDir private Path directory;

    @Test
    void whatTheKeyIndexHasIsNotAppliedAgain() {
        UUID tableId = UUID.randomUUID();
        HotTableSpec spec =
                new HotTableSpec(
                        new ObjectPath("db", "t"),
                        tableId.toString(),
                        0,
                        ROW_TYPE,
                        List.of("id"),
                        List.of(),
                        List.of("id"),
                        1,
                        Map.of());
        try (KeyIndexMemory memory = new KeyIndexMemory(8 << 20);
                BufferAllocator allocator = ArrowMemory.newAllocator("test")) {
            TableContext context =
                    new TableContext(
                            spec,
                            tableId,
                            directory,
                            StorageFiles.DISK,
                            null,
                            memory,
                            allocator,
                            Runnable::run,
                            Runnable::run);
            TableBuckets table = new TableBuckets(context, () -> {});
            Bucket bucket = table.bucket(0);
            PendingGroup first = insert(bucket, 0, "1");
            PendingGroup second = insert(bucket, 1, "2");

            bucket.writeKeyIndex(List.of(first));
            bucket.writeKeyIndex(List.of(first, second));
            bucket.writeKeyIndex(List.of(first, second));

            KeyIndex index = bucket.keyIndex();
            assertThat(index.rowCount()).isEqualTo(2);
            assertThat(index.appliedOffset()).isEqualTo(2);
            assertThat(index.get(new byte[] {'1'})).containsExactly(0);
            assertThat(index.get(new byte[] {'2'})).containsExactly(1);
            table.close();
        }
    }

    private static PendingGroup insert(Bucket bucket, long offset, String key) {
        Overlay.Change change =
                new Overlay.Change(
                        new KeyBytes(key.getBytes(StandardCharsets.UTF_8)),
                        new byte[] {(byte) offset});
        return new PendingGroup(
                bucket,
                UUID.randomUUID(),
                new PendingGroup.Applied(null, offset, 1, List.of(change), 1),
                0,
                new CompletableFuture<>());
    }
}
