package io.thermocline.hotstore.format;

import io.thermocline.hotstore.LakeMark;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RandomRows;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatches;
import io.thermocline.hotstore.key.KeyColumnEncoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;

/**
 * What the golden files hold. Running {@link #main} writes them; they must never change for a
 * format version that was released.
 */
final class GoldenGroups {

    static final RowType ORDERS =
            RowType.of(
                    new LogicalType[] {
                        new IntType(false), VarCharType.STRING_TYPE, VarCharType.STRING_TYPE
                    },
                    new String[] {"id", "country", "note"});
    static final long BASE_OFFSET = 4_242;
    static final long COMMIT_TIMESTAMP = 1_767_225_600_000L;
    static final long[] TIMESTAMPS = {
        COMMIT_TIMESTAMP, COMMIT_TIMESTAMP, COMMIT_TIMESTAMP + 5, COMMIT_TIMESTAMP + 9
    };
    static final byte[] PAYLOAD =
            "{\"partitions\":[{\"country\":\"NZ\"}]}".getBytes(StandardCharsets.UTF_8);
    static final long ALL_TYPES_SEED = 1;
    static final int ALL_TYPES_ROWS = 20;

    private static final UUID TABLE = UUID.fromString("6f1c2a34-5b6d-4e7f-8091-a2b3c4d5e6f7");
    private static final UUID WRITER = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    static final GroupOrigin ORIGIN =
            new GroupOrigin(TABLE, 2, 1, new GroupOrigin.Writer(WRITER, 7, 12));
    static final GroupOrigin FULL_ORIGIN =
            new GroupOrigin(
                    TABLE, 2, 1, new GroupOrigin.Writer(WRITER, 7, 13), new UUID(1, 2), 99L, null);
    static final GroupOrigin NO_WRITER = new GroupOrigin(TABLE, 2, 1, null);
    static final GroupOrigin MARKED =
            NO_WRITER.marked(new LakeMark(-7_000_000_001L, 12, 1_767_225_600_123L));
    static final GroupOrigin FULL_MARKED =
            FULL_ORIGIN.marked(new LakeMark(3, 3, 1_767_225_600_123L));

    private GoldenGroups() {}

    static List<RowData> orders() {
        return List.of(
                order(RowKind.INSERT, 1, "NZ", "first"),
                order(RowKind.UPDATE_BEFORE, 2, "IS", null),
                order(RowKind.UPDATE_AFTER, 2, "IS", "a note that is longer than thirty-two bytes"),
                order(RowKind.DELETE, -7, null, ""));
    }

    private static GenericRowData order(RowKind kind, int id, String country, String note) {
        return GenericRowData.ofKind(
                kind, id, StringData.fromString(country), StringData.fromString(note));
    }

    /** File name to bytes, of the groups whose bytes are the same everywhere. */
    static Map<String, byte[]> groups(BufferAllocator allocator) {
        Map<String, byte[]> files = new LinkedHashMap<>();
        FrameGroupEncoder orders =
                new FrameGroupEncoder(ORDERS, List.of("country"), Compression.NONE, allocator);
        try (RowBatch rows = RowBatches.of(ORDERS, orders(), allocator);
                RowBatch none = RowBatches.of(ORDERS, List.of(), allocator)) {
            files.put("data.group", sealed(orders.encode(ORIGIN, rows)));
            files.put("empty.group", sealed(orders.encode(FULL_ORIGIN, none)));
            try (EncodedGroup group = orders.encode(NO_WRITER, rows, TIMESTAMPS)) {
                group.seal(BASE_OFFSET);
                files.put("recoded.group", bytes(group));
            }
        }
        files.put(
                "control.group",
                sealed(
                        FrameGroupEncoder.encodeControl(
                                NO_WRITER, ControlType.DROP_PARTITION, PAYLOAD, allocator)));
        files.put("all-types.group", allTypes(Compression.NONE, allocator));
        return files;
    }

    /** The same of format version 2. */
    static Map<String, byte[]> markedGroups(BufferAllocator allocator) {
        Map<String, byte[]> files = new LinkedHashMap<>();
        FrameGroupEncoder orders =
                new FrameGroupEncoder(ORDERS, List.of("country"), Compression.NONE, allocator);
        try (RowBatch rows = RowBatches.of(ORDERS, orders(), allocator);
                RowBatch none = RowBatches.of(ORDERS, List.of(), allocator)) {
            files.put("marked.group", sealed(orders.encode(MARKED, rows)));
            files.put("empty-marked.group", sealed(orders.encode(FULL_MARKED, none)));
            try (EncodedGroup group = orders.encode(MARKED, rows, TIMESTAMPS)) {
                group.seal(BASE_OFFSET);
                files.put("recoded-marked.group", bytes(group));
            }
        }
        return files;
    }

    static byte[] allTypes(Compression compression, BufferAllocator allocator) {
        RowType type = RandomRows.allTypes();
        FrameGroupEncoder encoder = new FrameGroupEncoder(type, List.of(), compression, allocator);
        try (RowBatch rows = RowBatches.of(type, allTypesRows(), allocator)) {
            return sealed(encoder.encode(ORIGIN, rows));
        }
    }

    static List<RowData> allTypesRows() {
        return new RandomRows(ALL_TYPES_SEED).rows(RandomRows.allTypes(), ALL_TYPES_ROWS);
    }

    private static byte[] sealed(EncodedGroup group) {
        try (group) {
            group.seal(BASE_OFFSET, COMMIT_TIMESTAMP);
            return bytes(group);
        }
    }

    private static byte[] bytes(EncodedGroup group) {
        byte[] bytes = new byte[group.totalBytes()];
        group.bytes().get(bytes);
        return bytes;
    }

    /** A line per type and value: type, value, encoding. */
    static List<String> keys() {
        List<String> lines = new ArrayList<>();
        for (LogicalType nullable : RandomRows.keyTypes()) {
            LogicalType type = nullable.copy(false);
            RandomRows random = new RandomRows(type.asSummaryString().hashCode());
            KeyColumnEncoder encoder = KeyColumnEncoder.of(type, "c");
            for (int i = 0; i < 6; i++) {
                Object value = random.value(type);
                lines.add(
                        type.asSummaryString()
                                + "\t"
                                + text(value)
                                + "\t"
                                + HexFormat.of().formatHex(encoder.encodeValue(value)));
            }
        }
        return lines;
    }

    private static String text(Object value) {
        if (value instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        }
        if (value instanceof StringData string) {
            return HexFormat.of().formatHex(string.toBytes());
        }
        return value.toString();
    }

    /** Writes the files into the directories {@code v1} and {@code v2} of {@code arguments[0]}. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]).resolve("v1");
        Path ofMarked = Path.of(arguments[0]).resolve("v2");
        Files.createDirectories(directory);
        Files.createDirectories(ofMarked);
        try (BufferAllocator allocator = ArrowMemory.newAllocator("golden")) {
            for (Map.Entry<String, byte[]> file : markedGroups(allocator).entrySet()) {
                Files.write(ofMarked.resolve(file.getKey()), file.getValue());
            }
            for (Map.Entry<String, byte[]> file : groups(allocator).entrySet()) {
                Files.write(directory.resolve(file.getKey()), file.getValue());
            }
            Files.write(
                    directory.resolve("all-types-zstd.group"),
                    allTypes(Compression.ZSTD, allocator));
        }
        Files.write(directory.resolve("keys.tsv"), keys(), StandardCharsets.UTF_8);
    }
}
