package io.thermocline.source.enumerator;

import io.thermocline.source.split.ThermoclineSplit;
import io.thermocline.source.split.ThermoclineSplitSerializer;
import io.thermocline.unionread.plan.Claim;
import io.thermocline.unionread.plan.Startup;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * Serialized form of the coordinator's state. Version 1: table id, startup (kind, milliseconds),
 * planned, version of the splits, splits, ids of unread states, claim.
 */
public final class EnumeratorStateSerializer implements SimpleVersionedSerializer<EnumeratorState> {

    /** Only one instance is needed. */
    public static final EnumeratorStateSerializer INSTANCE = new EnumeratorStateSerializer();

    private static final int VERSION = 1;

    private static final byte FULL = 1;
    private static final byte EARLIEST = 2;
    private static final byte LATEST = 3;
    private static final byte TIMESTAMP = 4;

    private EnumeratorStateSerializer() {}

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(EnumeratorState state) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(1024);
        out.writeUTF(state.tableId());
        writeStartup(out, state.startup());
        out.writeBoolean(state.planned());
        ThermoclineSplitSerializer splits = ThermoclineSplitSerializer.INSTANCE;
        out.writeInt(splits.getVersion());
        out.writeInt(state.pending().size());
        for (ThermoclineSplit split : state.pending()) {
            byte[] bytes = splits.serialize(split);
            out.writeInt(bytes.length);
            out.write(bytes);
        }
        out.writeInt(state.unreadStates().size());
        for (String id : new TreeSet<>(state.unreadStates())) {
            out.writeUTF(id);
        }
        writeClaim(out, state.claim());
        return out.getCopyOfBuffer();
    }

    @Override
    public EnumeratorState deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION) {
            throw new IOException(
                    "source coordinator state has serialized version "
                            + version
                            + ", but this connector reads version "
                            + VERSION
                            + ". Restore with the connector that wrote it, or a later one");
        }
        DataInputDeserializer in = new DataInputDeserializer(serialized);
        String tableId = in.readUTF();
        Startup startup = readStartup(in);
        boolean planned = in.readBoolean();
        int splitVersion = in.readInt();
        int splitCount = in.readInt();
        List<ThermoclineSplit> pending = new ArrayList<>(splitCount);
        for (int i = 0; i < splitCount; i++) {
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            pending.add(ThermoclineSplitSerializer.INSTANCE.deserialize(splitVersion, bytes));
        }
        int unreadCount = in.readInt();
        Set<String> unread = new TreeSet<>();
        for (int i = 0; i < unreadCount; i++) {
            unread.add(in.readUTF());
        }
        return new EnumeratorState(tableId, startup, planned, pending, unread, readClaim(in));
    }

    private static void writeStartup(DataOutputView out, Startup startup) throws IOException {
        if (startup instanceof Startup.Timestamp timestamp) {
            out.writeByte(TIMESTAMP);
            out.writeLong(timestamp.millis());
        } else if (startup instanceof Startup.Full) {
            out.writeByte(FULL);
        } else if (startup instanceof Startup.Earliest) {
            out.writeByte(EARLIEST);
        } else {
            out.writeByte(LATEST);
        }
    }

    private static Startup readStartup(DataInputView in) throws IOException {
        byte kind = in.readByte();
        return switch (kind) {
            case FULL -> new Startup.Full();
            case EARLIEST -> new Startup.Earliest();
            case LATEST -> new Startup.Latest();
            case TIMESTAMP -> new Startup.Timestamp(in.readLong());
            default -> throw new IOException("state holds a start of unknown kind " + kind);
        };
    }

    private static void writeClaim(DataOutputView out, @Nullable Claim claim) throws IOException {
        out.writeBoolean(claim != null);
        if (claim == null) {
            return;
        }
        out.writeInt(claim.fromOffsets().size());
        for (Map.Entry<Integer, Long> entry : new TreeMap<>(claim.fromOffsets()).entrySet()) {
            out.writeInt(entry.getKey());
            out.writeLong(entry.getValue());
        }
        out.writeLong(claim.lakeSnapshotId());
        out.writeBoolean(claim.keyIndexSnapshotId() != null);
        if (claim.keyIndexSnapshotId() != null) {
            out.writeUTF(claim.keyIndexSnapshotId());
        }
    }

    private static @Nullable Claim readClaim(DataInputView in) throws IOException {
        if (!in.readBoolean()) {
            return null;
        }
        Map<Integer, Long> offsets = new TreeMap<>();
        int count = in.readInt();
        for (int i = 0; i < count; i++) {
            offsets.put(in.readInt(), in.readLong());
        }
        long lakeSnapshotId = in.readLong();
        String keyIndexSnapshotId = in.readBoolean() ? in.readUTF() : null;
        return new Claim(offsets, lakeSnapshotId, keyIndexSnapshotId);
    }
}
