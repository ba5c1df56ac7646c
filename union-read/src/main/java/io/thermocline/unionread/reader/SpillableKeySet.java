package io.thermocline.unionread.reader;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A set of encoded keys with bounded memory. Keys live in one byte array with a hash table over it;
 * when both outgrow the limit, they are written to a spill file ordered by hash, of which a bloom
 * filter and a sparse index stay in memory. The set is exact: a hash only says where to look.
 *
 * <p>{@link #add} needs a single thread. Once nothing is added any more and the set was handed over
 * safely, {@link #contains} may be called from many threads.
 */
public final class SpillableKeySet implements AutoCloseable {

    private static final int INITIAL_SLOTS = 128;
    private static final int INITIAL_BYTES = 1024;
    private static final int LENGTH_BYTES = Integer.BYTES;

    private final SpillSettings settings;
    private final List<SpilledKeys> spilled = new ArrayList<>();

    /** Per slot: upper half the key's hash, lower half its address + 1; 0 is an empty slot. */
    private long[] slots = new long[INITIAL_SLOTS];

    /** Keys one after the other: length, bytes. */
    private byte[] bytes = new byte[INITIAL_BYTES];

    private int usedBytes;
    private int usedSlots;
    private long size;

    public SpillableKeySet(SpillSettings settings) {
        this.settings = settings;
    }

    /**
     * Adds a key; its bytes are copied.
     *
     * @return whether it was not there before
     */
    public boolean add(byte[] key) {
        long hash = KeyHash.hash(key, 0, key.length);
        int slot = findSlot(hash, key);
        if (slots[slot] != 0 || isSpilled(hash, key)) {
            return false;
        }
        int address = append(key);
        slots[slot] = (hash & 0xFFFFFFFF00000000L) | (address + 1);
        usedSlots++;
        size++;
        if (usedSlots * 5L > slots.length * 3L) {
            grow();
        }
        if (usedBytes + (long) slots.length * Long.BYTES > settings.memoryBytes()) {
            spill();
        }
        return true;
    }

    /** Whether the key was added. */
    public boolean contains(byte[] key) {
        long hash = KeyHash.hash(key, 0, key.length);
        return slots[findSlot(hash, key)] != 0 || isSpilled(hash, key);
    }

    /** Number of different keys. */
    public long size() {
        return size;
    }

    /** Number of spill files in use. */
    public int spillFiles() {
        return spilled.size();
    }

    /** Deletes the spill files; the set is empty and unusable afterwards. */
    @Override
    public void close() {
        spilled.forEach(SpilledKeys::close);
        spilled.clear();
        slots = new long[1];
        bytes = new byte[0];
        size = 0;
    }

    private boolean isSpilled(long hash, byte[] key) {
        for (SpilledKeys run : spilled) {
            if (run.contains(hash, key)) {
                return true;
            }
        }
        return false;
    }

    /** The slot that holds the key, or the empty one where it belongs. */
    private int findSlot(long hash, byte[] key) {
        int mask = slots.length - 1;
        int slot = (int) (hash >>> 32) & mask;
        while (slots[slot] != 0 && !matches(slots[slot], hash, key)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private boolean matches(long entry, long hash, byte[] key) {
        if ((entry ^ hash) >>> 32 != 0) {
            return false;
        }
        int address = (int) entry - 1;
        int from = address + LENGTH_BYTES;
        return lengthAt(address) == key.length
                && Arrays.equals(bytes, from, from + key.length, key, 0, key.length);
    }

    private int append(byte[] key) {
        long needed = (long) usedBytes + LENGTH_BYTES + key.length;
        if (needed > bytes.length) {
            long wanted = Math.max(needed, Math.min(bytes.length * 2L, settings.memoryBytes()));
            bytes = Arrays.copyOf(bytes, Math.toIntExact(wanted));
        }
        int address = usedBytes;
        for (int i = 0; i < LENGTH_BYTES; i++) {
            bytes[address + i] = (byte) (key.length >>> (8 * i));
        }
        System.arraycopy(key, 0, bytes, address + LENGTH_BYTES, key.length);
        usedBytes = (int) needed;
        return address;
    }

    private int lengthAt(int address) {
        int length = 0;
        for (int i = 0; i < LENGTH_BYTES; i++) {
            length |= (bytes[address + i] & 0xFF) << (8 * i);
        }
        return length;
    }

    private void grow() {
        long[] old = slots;
        slots = new long[old.length * 2];
        int mask = slots.length - 1;
        for (long entry : old) {
            if (entry != 0) {
                int slot = (int) (entry >>> 32) & mask;
                while (slots[slot] != 0) {
                    slot = (slot + 1) & mask;
                }
                slots[slot] = entry;
            }
        }
    }

    private void spill() {
        long[] entries = new long[usedSlots];
        int count = 0;
        for (long entry : slots) {
            if (entry != 0) {
                // the sign bit is flipped so that signed order is the unsigned order of the hashes
                entries[count++] = entry ^ Long.MIN_VALUE;
            }
        }
        Arrays.sort(entries);
        try (SpilledKeys.Writer writer = SpilledKeys.write(settings.directory(), count)) {
            for (long flipped : entries) {
                long entry = flipped ^ Long.MIN_VALUE;
                int address = (int) entry - 1;
                writer.add(bytes, address + LENGTH_BYTES, lengthAt(address));
            }
            spilled.add(writer.finish());
        }
        slots = new long[INITIAL_SLOTS];
        usedSlots = 0;
        usedBytes = 0;
    }
}
