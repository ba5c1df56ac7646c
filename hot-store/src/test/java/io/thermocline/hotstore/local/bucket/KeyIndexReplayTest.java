package io.thermocline.hotstore.local.bucket;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.local.file.SharedFile;
import io.thermocline.hotstore.local.file.StorageFiles;
import io.thermocline.hotstore.local.keyindex.KeyIndex;
import io.thermocline.hotstore.local.keyindex.KeyIndexMemory;
import io.thermocline.hotstore.local.segment.GroupIndex;
import io.thermocline.hotstore.local.segment.GroupPlace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class KeyIndexReplayTest {

    @TempDir private Path directory;

    @Test
    @Timeout(value = 60, unit = SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void endsWhenTheStoreClosesMeanwhile() throws Exception {
        SharedFile file = SharedFile.open(Files.createFile(directory.resolve("journal")));
        GroupIndex groups = new GroupIndex();
        groups.append(new GroupPlace(0, 1, 7, 7, file, 0, 100));
        file.release();
        UUID tableId = UUID.randomUUID();
        RowType rowType =
                RowType.of(false, new LogicalType[] {new BigIntType(false)}, new String[] {"id"});
        HotTableSpec spec =
                new HotTableSpec(
                        new ObjectPath("db", "t"),
                        tableId.toString(),
                        0,
                        rowType,
                        List.of("id"),
                        List.of(),
                        List.of("id"),
                        1,
                        Map.of());
        try (KeyIndexMemory memory = new KeyIndexMemory(8 << 20);
                KeyIndex index = KeyIndex.open(directory.resolve("keyindex"), memory)) {
            TableContext context =
                    new TableContext(
                            spec,
                            tableId,
                            directory,
                            StorageFiles.DISK,
                            null,
                            memory,
                            ArrowMemory.root(),
                            Runnable::run,
                            Runnable::run);
            assertThatThrownBy(() -> new KeyIndexReplay(context, groups, 0).replay(index, 1))
                    .hasMessage(
                            "TABLE_CLOSED: the key index of bucket 0 of table db.t cannot be"
                                    + " brought up to date: the table was dropped, or its hot"
                                    + " store is closing.");
        }
    }
}
