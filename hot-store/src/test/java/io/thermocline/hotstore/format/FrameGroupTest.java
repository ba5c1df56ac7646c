package io.thermocline.hotstore.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.LakeMark;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.ArrowTypes;
import io.thermocline.hotstore.arrow.RandomRows;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatches;
import io.thermocline.hotstore.arrow.RowValues;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FrameGroupTest {

    private static final UUID TABLE = new UUID(0x0123456789ABCDEFL, 0xFEDCBA9876543210L);
    private static final UUID WRITER = new UUID(1, 2);
    private static final GroupOrigin ORIGIN =
            new GroupOrigin(TABLE, 3, 7, new GroupOrigin.Writer(WRITER, 3, 41));
    private static final RowType SMALL =
            RowType.of(
                    new LogicalType[] {new IntType(), VarCharType.STRING_TYPE},
                    new String[] {"id", "name"});

    @TempDir private Path directory;
    private BufferAllocator allocator;

    @BeforeEach
    void openAllocator() {
        allocator = ArrowMemory.newAllocator("test");
    }

    @AfterEach
    void noMemoryIsLeaked() {
        assertThat(allocator.getAllocatedMemory()).isZero();
        allocator.close();
    }

    private FrameGroupEncoder encoder(RowType type, Compression compression) {
        return new FrameGroupEncoder(type, List.of(), compression, allocator);
    }

    private byte[] encode(RowType type, List<? extends RowData> rows, Compression compression) {
        try (RowBatch batch = RowBatches.of(type, rows, allocator);
                EncodedGroup group = encoder(type, compression).encode(ORIGIN, batch)) {
            group.seal(1_000, 1_700_000_000_000L);
            return bytes(group);
        }
    }

    private static byte[] bytes(EncodedGroup group) {
        byte[] bytes = new byte[group.totalBytes()];
        group.bytes().get(bytes);
        return bytes;
    }

    private static FrameSource source(byte[] bytes) {
        return FrameSource.of(ByteBuffer.wrap(bytes), "test.journal");
    }

    private static byte[] smallGroup(FrameGroupTest test, Compression compression) {
        List<RowData> rows = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            GenericRowData row = GenericRowData.of(i, StringData.fromString("name " + i));
            row.setRowKind(i % 3 == 0 ? RowKind.UPDATE_BEFORE : RowKind.UPDATE_AFTER);
            rows.add(row);
        }
        return test.encode(SMALL, rows, compression);
    }

    @ParameterizedTest(name = "seed {0}, {1}, {2} rows")
    @CsvSource({"1,NONE,1", "2,NONE,300", "3,ZSTD,1", "4,ZSTD,300", "5,ZSTD,5000", "6,NONE,8"})
    void rowsOfAllTypesComeBackAsTheyWere(long seed, Compression compression, int count) {
        RowType type = RandomRows.allTypes();
        List<RowData> rows = new RandomRows(seed).rows(type, count);
        byte[] bytes = encode(type, rows, compression);
        FrameGroupReader reader = FrameGroupReader.open(source(bytes), 0);
        reader.verify();
        FrameGroupHeader header = reader.header();
        assertThat(header.origin()).isEqualTo(ORIGIN);
        assertThat(header.totalBytes()).isEqualTo(bytes.length);
        assertThat(header.baseOffset()).isEqualTo(1_000);
        assertThat(header.endOffset()).isEqualTo(1_000 + count);
        assertThat(header.recordCount()).isEqualTo(count);
        assertThat(header.isControl()).isFalse();
        assertThat(reader.commitTimestamps()).hasSize(count).containsOnly(1_700_000_000_000L);
        try (RowBatch batch = reader.decode(type, type, allocator)) {
            assertThat(RowValues.of(batch)).isEqualTo(RowValues.of(rows, type));
        }
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void aSlicedBatchIsEncodedLikeItsRows(Compression compression) {
        RowType type = RandomRows.allTypes();
        List<RowData> rows = new RandomRows(11).rows(type, 100);
        try (RowBatch all = RowBatches.of(type, rows, allocator);
                RowBatch slice = all.slice(13, 90);
                EncodedGroup group = encoder(type, compression).encode(ORIGIN, slice)) {
            group.seal(0, 0);
            FrameSource source = FrameSource.of(group.bytes(), "memory");
            try (RowBatch decoded =
                    FrameGroupReader.open(source, 0).decode(type, type, allocator)) {
                assertThat(RowValues.of(decoded))
                        .isEqualTo(RowValues.of(rows.subList(13, 90), type));
            }
        }
    }

    @ParameterizedTest(name = "seed {0}, {1}")
    @CsvSource({"21,NONE", "22,ZSTD"})
    void aProjectionEqualsTheSameColumnsOfTheWhole(long seed, Compression compression)
            throws IOException {
        RowType type = RandomRows.allTypes();
        List<RowData> rows = new RandomRows(seed).rows(type, 200);
        byte[] first = encode(type, rows.subList(0, 5), compression);
        byte[] second = encode(type, rows, compression);
        Path file = directory.resolve("a.journal");
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.READ)) {
            channel.write(ByteBuffer.wrap(first));
            channel.write(ByteBuffer.wrap(second));
            FrameSource source = FrameSource.of(channel, "a.journal");
            FrameGroupReader reader = FrameGroupReader.open(source, first.length);
            Random random = new Random(seed);
            try (RowBatch whole = reader.decode(type, type, allocator)) {
                for (int attempt = 0; attempt < 20; attempt++) {
                    List<RowType.RowField> fields = new ArrayList<>(type.getFields());
                    Collections.shuffle(fields, random);
                    RowType wanted = new RowType(fields.subList(0, random.nextInt(12)));
                    try (RowBatch projected = reader.decode(type, wanted, allocator);
                            RowBatch selected = whole.select(wanted.getFieldNames())) {
                        assertThat(RowValues.of(projected)).isEqualTo(RowValues.of(selected));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void anyFlippedByteIsDetected(Compression compression) {
        byte[] intact = smallGroup(this, compression);
        for (int position = 0; position < intact.length; position++) {
            for (int mask : new int[] {1, 0x80, 0xFF}) {
                byte[] damaged = intact.clone();
                damaged[position] ^= (byte) mask;
                assertThatThrownBy(() -> FrameGroupReader.open(source(damaged), 0).verify())
                        .as("byte %d ^ %d", position, mask)
                        .isInstanceOfSatisfying(
                                HotStoreException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_CHANGELOG))
                        .hasMessageContaining("frame group at byte 0 of test.journal is damaged");
            }
        }
    }

    @Test
    void aDamagedColumnIsDetectedByThoseWhoReadIt() {
        byte[] damaged = smallGroup(this, Compression.NONE);
        damaged[damaged.length - 1] ^= 1;
        FrameGroupReader reader = FrameGroupReader.open(source(damaged), 0);
        RowType id = new RowType(SMALL.getFields().subList(0, 1));
        try (RowBatch batch = reader.decode(SMALL, id, allocator)) {
            assertThat(batch.row(39).getInt(0)).isEqualTo(39);
        }
        assertThatThrownBy(() -> reader.decode(SMALL, SMALL, allocator))
                .hasMessageContaining("the checksum of its column 1 is wrong");
    }

    @Test
    void anyCutIsDetected() {
        byte[] intact = smallGroup(this, Compression.NONE);
        for (int length = 0; length < intact.length; length++) {
            ByteBuffer cut = ByteBuffer.wrap(intact).slice(0, length);
            assertThatThrownBy(() -> FrameGroupReader.open(FrameSource.of(cut, "cut"), 0))
                    .isInstanceOfSatisfying(
                            HotStoreException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_CHANGELOG));
        }
    }

    @Test
    void aHugeHeaderLengthIsRefusedBeforeAnythingIsAllocated() {
        byte[] damaged = smallGroup(this, Compression.NONE);
        ByteBuffer.wrap(damaged)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(FrameFormat.HEADER_LENGTH_POSITION, Integer.MAX_VALUE);
        assertThatThrownBy(() -> FrameGroupReader.open(source(damaged), 0))
                .hasMessageContaining("its header length is 2147483647")
                .hasMessageContaining("a limit of 4194304");
    }

    @Test
    void aMarkAndItsFormatVersionGoTogether() {
        byte[] claimed = withVersion(smallGroup(this, Compression.NONE), 2);
        assertThatThrownBy(() -> FrameGroupReader.open(source(claimed), 0))
                .hasMessageContaining("it has no mark");
        GroupOrigin marked = ORIGIN.marked(new LakeMark(1, 1, 1_767_225_600_123L));
        byte[] denied;
        try (RowBatch rows = RowBatches.of(RandomRows.allTypes(), List.of(), allocator)) {
            FrameGroupEncoder encoder =
                    new FrameGroupEncoder(
                            RandomRows.allTypes(), List.of(), Compression.NONE, allocator);
            try (EncodedGroup group = encoder.encode(marked, rows)) {
                group.seal(0, 0);
                byte[] bytes = new byte[group.totalBytes()];
                group.bytes().get(bytes);
                denied = withVersion(bytes, 1);
            }
        }
        assertThatThrownBy(() -> FrameGroupReader.open(source(denied), 0))
                .hasMessageContaining("it has unknown flags");
    }

    private static byte[] withVersion(byte[] group, int version) {
        ByteBuffer bytes = ByteBuffer.wrap(group).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putShort(FrameFormat.VERSION_POSITION, (short) version);
        int headerBytes = bytes.getInt(FrameFormat.HEADER_LENGTH_POSITION);
        bytes.putInt(FrameFormat.CRC_POSITION, FrameFormat.headerCrc(bytes.slice(0, headerBytes)));
        return group;
    }

    @Test
    void anUnknownFormatVersionNamesBothVersions() {
        byte[] newer = smallGroup(this, Compression.NONE);
        ByteBuffer bytes = ByteBuffer.wrap(newer).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putShort(FrameFormat.VERSION_POSITION, (short) 9);
        int headerBytes = bytes.getInt(FrameFormat.HEADER_LENGTH_POSITION);
        ByteBuffer header = bytes.slice(0, headerBytes);
        bytes.putInt(FrameFormat.CRC_POSITION, FrameFormat.headerCrc(header));
        assertThatThrownBy(() -> FrameGroupReader.open(source(newer), 0))
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_FORMAT_VERSION))
                .hasMessageContaining("has format version 9")
                .hasMessageContaining("reads format versions 1 to 2");
    }

    @Test
    void aColumnThatWasAddedLaterIsNull() {
        byte[] bytes = smallGroup(this, Compression.ZSTD);
        RowType later =
                RowType.of(
                        new LogicalType[] {
                            new TimestampType(9),
                            VarCharType.STRING_TYPE,
                            RowType.of(new BigIntType()),
                            new IntType()
                        },
                        new String[] {"added", "name", "more", "id"});
        FrameGroupReader reader = FrameGroupReader.open(source(bytes), 0);
        try (RowBatch batch = reader.decode(SMALL, later, allocator)) {
            assertThat(batch.rowCount()).isEqualTo(40);
            assertThat(RowValues.of(batch.row(6), later))
                    .containsExactly("-U", null, StringData.fromString("name 6"), null, 6);
        }
    }

    @Test
    void aColumnOfAnotherTypeIsRefused() {
        byte[] bytes = smallGroup(this, Compression.NONE);
        FrameGroupReader reader = FrameGroupReader.open(source(bytes), 0);
        RowType wider = RowType.of(new LogicalType[] {new BigIntType()}, new String[] {"id"});
        assertThatThrownBy(() -> reader.decode(SMALL, wider, allocator))
                .hasMessageContaining("column 'id' is INT in schema version 7")
                .hasMessageContaining("cannot be read as BIGINT");
        RowType narrow = new RowType(SMALL.getFields().subList(0, 1));
        assertThatThrownBy(() -> reader.decode(narrow, narrow, allocator))
                .hasMessageContaining("it has 2 columns, but schema version 7 has 1");
    }

    @Test
    void aBatchOfOtherTypesIsRefused() {
        RowType other =
                RowType.of(
                        new LogicalType[] {new BigIntType(), VarCharType.STRING_TYPE},
                        new String[] {"id", "name"});
        try (RowBatch batch = RowBatches.of(other, List.of(), allocator)) {
            assertThatThrownBy(() -> encoder(SMALL, Compression.NONE).encode(ORIGIN, batch))
                    .hasMessageContaining("ROW<`id` BIGINT, `name` STRING> was given")
                    .hasMessageContaining("with the columns ROW<`id` INT, `name` STRING>");
        }
    }

    @Test
    void typesThatAreHeldAlikeAreReadAsEachOther() {
        byte[] bytes = smallGroup(this, Compression.NONE);
        RowType narrower =
                RowType.of(
                        new LogicalType[] {new VarCharType(false, 20), new IntType(false)},
                        new String[] {"name", "id"});
        try (RowBatch batch =
                FrameGroupReader.open(source(bytes), 0).decode(SMALL, narrower, allocator)) {
            assertThat(RowValues.of(batch.row(3), narrower))
                    .containsExactly("-U", StringData.fromString("name 3"), 3);
        }
        RowType.RowField plain = new RowType.RowField("a", new TimestampType(4));
        RowType.RowField described = new RowType.RowField("a", new TimestampType(6), "a comment");
        assertThat(
                        ArrowTypes.haveSameLayout(
                                new RowType(List.of(plain)), new RowType(List.of(described))))
                .isTrue();
        assertThat(ArrowTypes.haveSameLayout(new TimestampType(6), new TimestampType(7))).isFalse();
    }

    @Test
    void aGroupWithoutRecordsKeepsItsOrigin() {
        GroupOrigin origin =
                new GroupOrigin(
                        TABLE,
                        0,
                        0,
                        new GroupOrigin.Writer(WRITER, 0, 5),
                        new UUID(9, 9),
                        -1L,
                        null);
        try (RowBatch none = RowBatches.of(SMALL, List.of(), allocator);
                EncodedGroup group = encoder(SMALL, Compression.ZSTD).encode(origin, none)) {
            assertThat(group.recordCount()).isZero();
            group.seal(17, 23);
            FrameGroupReader reader =
                    FrameGroupReader.open(FrameSource.of(group.bytes(), "memory"), 0);
            reader.verify();
            assertThat(reader.header().origin()).isEqualTo(origin);
            assertThat(reader.header().endOffset()).isEqualTo(17);
            assertThat(reader.commitTimestamps()).isEmpty();
            try (RowBatch batch = reader.decode(SMALL, SMALL, allocator)) {
                assertThat(batch.rowCount()).isZero();
                assertThat(batch.rowType()).isEqualTo(SMALL);
            }
        }
    }

    @Test
    void aControlRecordTakesOneOffset() {
        byte[] payload = "{\"schemaVersion\":8}".getBytes(StandardCharsets.UTF_8);
        GroupOrigin origin = new GroupOrigin(TABLE, 1, 7, null);
        try (EncodedGroup group =
                FrameGroupEncoder.encodeControl(origin, ControlType.SCHEMA, payload, allocator)) {
            group.seal(100, 5);
            FrameGroupReader reader =
                    FrameGroupReader.open(FrameSource.of(group.bytes(), "memory"), 0);
            reader.verify();
            assertThat(reader.header().controlType()).isEqualTo(ControlType.SCHEMA);
            assertThat(reader.header().origin().writer()).isNull();
            assertThat(reader.header().endOffset()).isEqualTo(101);
            assertThat(reader.controlPayload()).isEqualTo(payload);
            assertThatThrownBy(() -> reader.decode(SMALL, SMALL, allocator))
                    .hasMessageContaining("is a control record and has no rows");
        }
    }

    @Test
    void recodedRecordsKeepTheirTimestamps() {
        List<RowData> rows = new RandomRows(31).rows(SMALL, 500);
        long[] timestamps = new long[500];
        for (int row = 0; row < timestamps.length; row++) {
            timestamps[row] = 1_000_000 + row / 7;
        }
        try (RowBatch batch = RowBatches.of(SMALL, rows, allocator);
                EncodedGroup group =
                        encoder(SMALL, Compression.ZSTD).encode(ORIGIN, batch, timestamps)) {
            assertThatThrownBy(() -> group.seal(0, 0))
                    .hasMessage("the records of this group have their own timestamps");
            assertThatThrownBy(group::bytes)
                    .hasMessage("a frame group must be sealed before it is written");
            group.seal(77);
            FrameGroupReader reader =
                    FrameGroupReader.open(FrameSource.of(group.bytes(), "memory"), 0);
            assertThat(reader.header().firstCommitTimestamp()).isEqualTo(1_000_000);
            assertThat(reader.header().commitTimestamp()).isEqualTo(1_000_071);
            assertThat(reader.commitTimestamps()).isEqualTo(timestamps);
            try (RowBatch decoded = reader.decode(SMALL, SMALL, allocator)) {
                assertThat(RowValues.of(decoded)).isEqualTo(RowValues.of(rows, SMALL));
            }
            timestamps[9] = 5;
            assertThatThrownBy(
                            () ->
                                    encoder(SMALL, Compression.ZSTD)
                                            .encode(ORIGIN, batch, timestamps))
                    .hasMessageContaining("commit timestamp 5 of row 9 is lower than the one");
        }
    }

    @Test
    void sealingAgainReplacesOffsetAndTimestamp() {
        try (RowBatch batch = RowBatches.of(SMALL, List.of(GenericRowData.of(1, null)), allocator);
                EncodedGroup group = encoder(SMALL, Compression.NONE).encode(ORIGIN, batch)) {
            group.seal(1, 2);
            group.seal(3, 4);
            FrameGroupHeader header =
                    FrameGroupHeader.read(FrameSource.of(group.bytes(), "memory"), 0);
            assertThat(header.baseOffset()).isEqualTo(3);
            assertThat(header.firstCommitTimestamp()).isEqualTo(4);
            assertThat(header.commitTimestamp()).isEqualTo(4);
        }
    }

    @Test
    void aBatchOfOtherColumnsIsRefused() {
        RowType other = RowType.of(new LogicalType[] {new IntType()}, new String[] {"x"});
        try (RowBatch batch = RowBatches.of(other, List.of(GenericRowData.of(1)), allocator)) {
            assertThatThrownBy(() -> encoder(SMALL, Compression.NONE).encode(ORIGIN, batch))
                    .hasMessageContaining(
                            "a batch with the columns ROW<`x` INT> was given for a table");
        }
    }
}
