package io.thermocline.lake.iceberg;

import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.RowType;

/** A set of keys of limited size: their bytes one after the other, found by an open hash table. */
final class KeySet {

    private static final int FIRST_BYTES = 1 << 12;
    private static final int FIRST_SLOTS = 1 << 8;

    /** Before the bytes of a key: their hash and their number. */
    private static final int HEADER = 2 * Integer.BYTES;

    private final RowDataSerializer serializer;
    private final int maxBytes;
    private MemorySegment keys = MemorySegmentFactory.allocateUnpooledSegment(FIRST_BYTES);
    private int used;
    private int size;

    /** Each the place of a key, from 1 on; 0 is free. Never more than half of them are taken. */
    private int[] slots = new int[FIRST_SLOTS];

    /**
     * @param type of the keys, which may be the first columns of the rows that are asked for
     * @param maxBytes bytes that the keys take at most
     */
    KeySet(RowType type, int maxBytes) {
        this.serializer = new RowDataSerializer(type);
        this.maxBytes = maxBytes;
    }

    int size() {
        return size;
    }

    /** Adds a key, unless there is no space for it; the first one is always taken. */
    boolean add(RowData key) {
        BinaryRowData binary = serializer.toBinaryRow(key);
        int length = HEADER + binary.getSizeInBytes();
        if (size > 0 && (long) used + length > maxBytes) {
            return false;
        }
        int hash = binary.hashCode();
        int slot = find(binary, hash);
        if (slots[slot] == 0) {
            append(binary, hash, length);
            slots[slot] = used - length + 1;
            size++;
            if (size > slots.length / 2) {
                grow();
            }
        }
        return true;
    }

    /**
     * Whether the set has the key of a row.
     *
     * @param row its first columns are the key
     */
    boolean contains(RowData row) {
        BinaryRowData binary = serializer.toBinaryRow(row);
        return slots[find(binary, binary.hashCode())] != 0;
    }

    /** The slot that the key has, or else would take. */
    private int find(BinaryRowData key, int hash) {
        int mask = slots.length - 1;
        for (int slot = hash & mask; ; slot = (slot + 1) & mask) {
            if (slots[slot] == 0 || isAt(slots[slot] - 1, key, hash)) {
                return slot;
            }
        }
    }

    private boolean isAt(int place, BinaryRowData key, int hash) {
        int length = key.getSizeInBytes();
        return keys.getInt(place) == hash
                && keys.getInt(place + Integer.BYTES) == length
                && key.getSegments()[0].equalTo(keys, key.getOffset(), place + HEADER, length);
    }

    private void append(BinaryRowData key, int hash, int length) {
        if (used + length > keys.size()) {
            long larger = Math.max(2L * keys.size(), (long) used + length);
            MemorySegment grown =
                    MemorySegmentFactory.allocateUnpooledSegment(
                            (int) Math.min(larger, Math.max(maxBytes, used + length)));
            keys.copyTo(0, grown, 0, used);
            keys = grown;
        }
        keys.putInt(used, hash);
        keys.putInt(used + Integer.BYTES, length - HEADER);
        key.getSegments()[0].copyTo(key.getOffset(), keys, used + HEADER, length - HEADER);
        used += length;
    }

    private void grow() {
        int[] larger = new int[slots.length * 2];
        int mask = larger.length - 1;
        for (int place : slots) {
            if (place != 0) {
                int slot = keys.getInt(place - 1) & mask;
                while (larger[slot] != 0) {
                    slot = (slot + 1) & mask;
                }
                larger[slot] = place;
            }
        }
        slots = larger;
    }
}
