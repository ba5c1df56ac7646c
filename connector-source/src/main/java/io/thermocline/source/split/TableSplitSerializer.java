package io.thermocline.source.split;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.source.ReadFailures;
import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Serialized form of the splits of one table. Version 2: table id, then version 1 of {@link
 * ThermoclineSplitSerializer}; version 1 was that alone. A reader restores its splits by itself, so
 * the id is what keeps it from going on at offsets of another table of the same name.
 */
public final class TableSplitSerializer implements SimpleVersionedSerializer<ThermoclineSplit> {

    private static final int VERSION = 3;

    /** Has a split of an earlier version in it. */
    private static final int EARLIER_VERSION = 2;

    private final HotTableSpec table;

    /**
     * @param table the table that is read now
     */
    public TableSplitSerializer(HotTableSpec table) {
        this.table = table;
    }

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(ThermoclineSplit split) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        out.writeUTF(table.tableId());
        out.write(ThermoclineSplitSerializer.INSTANCE.serialize(split));
        return out.getCopyOfBuffer();
    }

    /**
     * @throws org.apache.flink.runtime.execution.SuppressRestartsException if the split is of an
     *     earlier table of the same name
     */
    @Override
    public ThermoclineSplit deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION && version != EARLIER_VERSION) {
            return ThermoclineSplitSerializer.INSTANCE.deserialize(version, serialized);
        }
        DataInputDeserializer in = new DataInputDeserializer(serialized);
        String tableId = in.readUTF();
        if (!tableId.equals(table.tableId())) {
            throw ReadFailures.forFlink(ReadFailures.recreated(table, tableId));
        }
        return ThermoclineSplitSerializer.INSTANCE.deserialize(
                version == VERSION
                        ? ThermoclineSplitSerializer.INSTANCE.getVersion()
                        : ThermoclineSplitSerializer.EARLIER_VERSION,
                Arrays.copyOfRange(serialized, in.getPosition(), serialized.length));
    }
}
