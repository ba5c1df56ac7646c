package io.thermocline.source.split;

import io.thermocline.lake.LakeSplit;
import io.thermocline.unionread.plan.OffsetRange;
import io.thermocline.unionread.plan.ReadPosition;
import io.thermocline.unionread.plan.ReadStep;
import io.thermocline.unionread.plan.ReadUnit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Serialized form of splits, in checkpoints and between coordinator and readers. Version 2: unit
 * id, bucket, position (step, progress), number of steps, steps. A step is a kind byte and its
 * fields.
 */
public final class ThermoclineSplitSerializer
        implements SimpleVersionedSerializer<ThermoclineSplit> {

    /** Only one instance is needed. */
    public static final ThermoclineSplitSerializer INSTANCE = new ThermoclineSplitSerializer();

    private static final int VERSION = 2;

    /** Has no changelogs beside the lake. */
    static final int EARLIER_VERSION = 1;

    private static final byte LAKE = 1;
    private static final byte NET_CHANGES = 2;
    private static final byte KEY_INDEX = 3;
    private static final byte CHANGELOG = 4;
    private static final byte CHANGELOG_BESIDE_LAKE = 5;

    private ThermoclineSplitSerializer() {}

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(ThermoclineSplit split) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        ReadUnit unit = split.unit();
        out.writeUTF(unit.id());
        out.writeInt(unit.bucket());
        out.writeInt(split.position().step());
        out.writeLong(split.position().progress());
        out.writeInt(unit.steps().size());
        for (ReadStep step : unit.steps()) {
            writeStep(out, step);
        }
        return out.getCopyOfBuffer();
    }

    @Override
    public ThermoclineSplit deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION && version != EARLIER_VERSION) {
            throw new IOException(
                    "split has serialized version "
                            + version
                            + ", but this connector reads version "
                            + VERSION
                            + ". Restore with the connector that wrote it, or a later one");
        }
        DataInputDeserializer in = new DataInputDeserializer(serialized);
        String id = in.readUTF();
        int bucket = in.readInt();
        ReadPosition position = new ReadPosition(in.readInt(), in.readLong());
        int count = in.readInt();
        List<ReadStep> steps = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            steps.add(readStep(in));
        }
        return new ThermoclineSplit(new ReadUnit(id, bucket, steps), position);
    }

    private static void writeStep(DataOutputView out, ReadStep step) throws IOException {
        if (step instanceof ReadStep.Lake lake) {
            out.writeByte(LAKE);
            out.writeLong(lake.snapshotId());
            out.writeInt(lake.bucket());
            out.writeInt(lake.split().bucket());
            out.writeLong(lake.split().rowCount());
            out.writeInt(lake.split().payload().length);
            out.write(lake.split().payload());
            writeRanges(out, lake.supersededBy());
        } else if (step instanceof ReadStep.NetChanges netChanges) {
            out.writeByte(NET_CHANGES);
            out.writeInt(netChanges.bucket());
            out.writeLong(netChanges.range().start());
            out.writeLong(netChanges.range().end());
        } else if (step instanceof ReadStep.KeyIndex keyIndex) {
            out.writeByte(KEY_INDEX);
            out.writeInt(keyIndex.bucket());
            out.writeUTF(keyIndex.snapshotId());
        } else if (step instanceof ReadStep.Changelog changelog) {
            boolean besideLake = changelog.lakeSequence() != ReadStep.Changelog.NOTHING_OF_LAKE;
            out.writeByte(besideLake ? CHANGELOG_BESIDE_LAKE : CHANGELOG);
            out.writeInt(changelog.bucket());
            out.writeLong(changelog.startOffset());
            out.writeLong(changelog.endOffset());
            if (besideLake) {
                out.writeLong(changelog.lakeSequence());
            }
        }
    }

    private static ReadStep readStep(DataInputView in) throws IOException {
        byte kind = in.readByte();
        return switch (kind) {
            case LAKE -> readLake(in);
            case NET_CHANGES ->
                    new ReadStep.NetChanges(
                            in.readInt(), new OffsetRange(in.readLong(), in.readLong()));
            case KEY_INDEX -> new ReadStep.KeyIndex(in.readInt(), in.readUTF());
            case CHANGELOG -> new ReadStep.Changelog(in.readInt(), in.readLong(), in.readLong());
            case CHANGELOG_BESIDE_LAKE ->
                    new ReadStep.Changelog(
                            in.readInt(), in.readLong(), in.readLong(), in.readLong());
            default -> throw new IOException("split holds a step of unknown kind " + kind);
        };
    }

    private static ReadStep readLake(DataInputView in) throws IOException {
        long snapshotId = in.readLong();
        int onlyBucket = in.readInt();
        int bucket = in.readInt();
        long rowCount = in.readLong();
        byte[] payload = new byte[in.readInt()];
        in.readFully(payload);
        LakeSplit split = new LakeSplit(bucket, rowCount, payload);
        return new ReadStep.Lake(snapshotId, split, readRanges(in), onlyBucket);
    }

    private static void writeRanges(DataOutputView out, Map<Integer, OffsetRange> ranges)
            throws IOException {
        out.writeInt(ranges.size());
        for (Map.Entry<Integer, OffsetRange> range : new TreeMap<>(ranges).entrySet()) {
            out.writeInt(range.getKey());
            out.writeLong(range.getValue().start());
            out.writeLong(range.getValue().end());
        }
    }

    private static Map<Integer, OffsetRange> readRanges(DataInputView in) throws IOException {
        Map<Integer, OffsetRange> ranges = new TreeMap<>();
        int count = in.readInt();
        for (int i = 0; i < count; i++) {
            ranges.put(in.readInt(), new OffsetRange(in.readLong(), in.readLong()));
        }
        return ranges;
    }
}
