package io.thermocline.hotstore.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RandomRows;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowValues;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Format versions stay what they are: the stored files are written and read byte for byte. */
class GoldenFileCompatTest {

    private BufferAllocator allocator;

    @BeforeEach
    void openAllocator() {
        allocator = ArrowMemory.newAllocator("test");
    }

    @AfterEach
    void closeAllocator() {
        allocator.close();
    }

    private static byte[] file(String name) throws IOException {
        return file("v1", name);
    }

    private static byte[] file(String version, String name) throws IOException {
        try (InputStream input =
                GoldenFileCompatTest.class.getResourceAsStream("/golden/" + version + "/" + name)) {
            assertThat(input).as(name).isNotNull();
            return input.readAllBytes();
        }
    }

    private static FrameGroupReader open(String name) throws IOException {
        return open("v1", name);
    }

    private static FrameGroupReader open(String version, String name) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(file(version, name));
        FrameGroupReader reader = FrameGroupReader.open(FrameSource.of(bytes, name), 0);
        reader.verify();
        assertThat(reader.header().baseOffset()).isEqualTo(GoldenGroups.BASE_OFFSET);
        return reader;
    }

    private void assertRows(FrameGroupReader reader, RowType type, List<RowData> rows) {
        try (RowBatch batch = reader.decode(type, type, allocator)) {
            assertThat(RowValues.of(batch)).isEqualTo(RowValues.of(rows, type));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "data.group",
                "empty.group",
                "recoded.group",
                "control.group",
                "all-types.group"
            })
    void groupsAreWrittenAsStored(String name) throws IOException {
        assertThat(GoldenGroups.groups(allocator).get(name)).isEqualTo(file(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"marked.group", "empty-marked.group", "recoded-marked.group"})
    void markedGroupsAreWrittenAsStored(String name) throws IOException {
        assertThat(GoldenGroups.markedGroups(allocator).get(name)).isEqualTo(file("v2", name));
    }

    @Test
    void marksAreRead() throws IOException {
        FrameGroupReader reader = open("v2", "marked.group");
        assertThat(reader.header().origin()).isEqualTo(GoldenGroups.MARKED);
        assertRows(reader, GoldenGroups.ORDERS, GoldenGroups.orders());
        FrameGroupReader recoded = open("v2", "recoded-marked.group");
        assertThat(recoded.header().origin()).isEqualTo(GoldenGroups.MARKED);
        assertThat(recoded.commitTimestamps()).isEqualTo(GoldenGroups.TIMESTAMPS);
        FrameGroupReader empty = open("v2", "empty-marked.group");
        assertThat(empty.header().origin()).isEqualTo(GoldenGroups.FULL_MARKED);
        assertThat(empty.header().recordCount()).isZero();
    }

    @Test
    void keysAreEncodedAsStored() throws IOException {
        String stored = new String(file("keys.tsv"), StandardCharsets.UTF_8);
        assertThat(GoldenGroups.keys()).isEqualTo(stored.lines().toList());
    }

    @Test
    void dataIsRead() throws IOException {
        FrameGroupReader reader = open("data.group");
        assertThat(reader.header().origin()).isEqualTo(GoldenGroups.ORIGIN);
        assertThat(reader.header().zoneMap().partitions()).hasSize(3);
        assertThat(reader.header().zoneMap().columns().get(2).nullCount()).isOne();
        assertThat(reader.commitTimestamps())
                .hasSize(4)
                .containsOnly(GoldenGroups.COMMIT_TIMESTAMP);
        assertRows(reader, GoldenGroups.ORDERS, GoldenGroups.orders());
    }

    @Test
    void recodedDataIsRead() throws IOException {
        FrameGroupReader reader = open("recoded.group");
        assertThat(reader.header().origin()).isEqualTo(GoldenGroups.NO_WRITER);
        assertThat(reader.commitTimestamps()).isEqualTo(GoldenGroups.TIMESTAMPS);
        assertRows(reader, GoldenGroups.ORDERS, GoldenGroups.orders());
    }

    @Test
    void anEmptyGroupIsRead() throws IOException {
        FrameGroupReader reader = open("empty.group");
        assertThat(reader.header().origin()).isEqualTo(GoldenGroups.FULL_ORIGIN);
        assertThat(reader.header().endOffset()).isEqualTo(GoldenGroups.BASE_OFFSET);
        assertRows(reader, GoldenGroups.ORDERS, List.of());
    }

    @Test
    void aControlRecordIsRead() throws IOException {
        FrameGroupReader reader = open("control.group");
        assertThat(reader.header().controlType()).isEqualTo(ControlType.DROP_PARTITION);
        assertThat(reader.controlPayload()).isEqualTo(GoldenGroups.PAYLOAD);
    }

    @ParameterizedTest
    @ValueSource(strings = {"all-types.group", "all-types-zstd.group"})
    void allTypesAreRead(String name) throws IOException {
        assertRows(open(name), RandomRows.allTypes(), GoldenGroups.allTypesRows());
    }
}
