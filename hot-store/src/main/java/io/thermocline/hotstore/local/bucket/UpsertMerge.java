package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import io.thermocline.hotstore.key.KeyEncoder;
import io.thermocline.hotstore.local.keyindex.KeyIndex;
import io.thermocline.hotstore.local.keyindex.StoredRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * Merge engine {@code deduplicate} with full changelog images: the last row of a key is its row. A
 * new key gives +I, a changed row -U and +U, a delete -D with the whole old row; an upsert that
 * changes nothing and a delete of a missing key give nothing. Not thread-safe.
 */
final class UpsertMerge {

    private static final byte INSERT = RowKind.INSERT.toByteValue();
    private static final byte UPDATE_BEFORE = RowKind.UPDATE_BEFORE.toByteValue();
    private static final byte UPDATE_AFTER = RowKind.UPDATE_AFTER.toByteValue();
    private static final byte DELETE = RowKind.DELETE.toByteValue();

    private final HotTableSpec spec;
    private final BufferAllocator allocator;
    private final KeyEncoder keyEncoder;
    private final StoredRowEncoder rowEncoder;

    UpsertMerge(HotTableSpec spec, BufferAllocator allocator) {
        this.spec = spec;
        this.allocator = allocator;
        this.keyEncoder = KeyEncoder.forRows(spec, spec.rowType().getFieldNames());
        this.rowEncoder = new StoredRowEncoder(spec.rowType(), spec.schemaVersion());
    }

    /**
     * What a batch does.
     *
     * @param records changelog records; the input itself if it is its own changelog
     * @param changes last change of every key that changed
     */
    record Merged(RowBatch records, List<Overlay.Change> changes) {}

    /** The present row of a key, while a batch is merged. */
    private static final class Slot {
        private final KeyBytes key;
        private byte @Nullable [] value;
        private boolean changed;
        private boolean kept;

        private Slot(KeyBytes key) {
            this.key = key;
        }
    }

    /** The records that a batch leads to: row kinds, and where each row comes from. */
    private static final class Records {
        private byte[] kinds;
        private int[] inputRows;
        private byte @Nullable [][] storedRows;
        private boolean hasStored;
        private int count;

        private Records(int expected) {
            kinds = new byte[expected];
            inputRows = new int[expected];
            storedRows = new byte[expected][];
        }

        private void add(byte kind, int inputRow) {
            if (count == kinds.length) {
                kinds = Arrays.copyOf(kinds, 2 * count);
                inputRows = Arrays.copyOf(inputRows, 2 * count);
                storedRows = Arrays.copyOf(storedRows, 2 * count);
            }
            kinds[count] = kind;
            inputRows[count++] = inputRow;
        }

        private void addStored(byte kind, byte[] value) {
            add(kind, -1);
            storedRows[count - 1] = value;
            hasStored = true;
        }

        private boolean isInput(RowBatch input) {
            if (count != input.rowCount() || hasStored) {
                return false;
            }
            for (int i = 0; i < count; i++) {
                if (inputRows[i] != i || kinds[i] != input.rowKindValue(i)) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Merges a batch into the state that overlay and key index hold together; changes neither.
     *
     * @param baseOffset offset that the first record will have
     * @param guard says which keys stay as they are; null: none
     */
    Merged merge(
            RowBatch input,
            Overlay overlay,
            KeyIndex index,
            long baseOffset,
            @Nullable AbsorptionGuard guard) {
        Slot[] slots = readSlots(input, overlay, index);
        if (guard != null) {
            keep(slots, guard);
        }
        Records records = new Records(Math.max(1, input.rowCount()));
        for (int i = 0; i < slots.length; i++) {
            Slot slot = slots[i];
            if (slot == null || slot.kept) {
                continue;
            }
            if (input.rowKindValue(i) == DELETE) {
                delete(slot, records);
            } else {
                upsert(slot, input, i, records, baseOffset);
            }
        }
        return new Merged(records.isInput(input) ? input : build(input, records), changesOf(slots));
    }

    private Slot[] readSlots(RowBatch input, Overlay overlay, KeyIndex index) {
        Slot[] slots = new Slot[input.rowCount()];
        Map<KeyBytes, Slot> byKey = new HashMap<>(2 * slots.length);
        List<Slot> missing = new ArrayList<>();
        List<byte[]> missingKeys = new ArrayList<>();
        for (int i = 0; i < slots.length; i++) {
            if (input.rowKindValue(i) == UPDATE_BEFORE) {
                continue;
            }
            KeyBytes key = new KeyBytes(keyEncoder.encode(input.row(i)));
            Slot slot = byKey.get(key);
            if (slot == null) {
                slot = new Slot(key);
                byKey.put(key, slot);
                Overlay.Change pending = overlay.get(key);
                if (pending != null) {
                    slot.value = pending.value();
                } else {
                    missing.add(slot);
                    missingKeys.add(key.bytes());
                }
            }
            slots[i] = slot;
        }
        if (!missing.isEmpty()) {
            List<byte[]> values = index.multiGet(missingKeys);
            for (int i = 0; i < missing.size(); i++) {
                missing.get(i).value = values.get(i);
            }
        }
        return slots;
    }

    /** Before anything is merged, so that the rows of one batch do not decide about each other. */
    private static void keep(Slot[] slots, AbsorptionGuard guard) {
        for (Slot slot : slots) {
            if (slot != null) {
                slot.kept = guard.keeps(slot.key, slot.value);
            }
        }
    }

    private static void delete(Slot slot, Records records) {
        if (slot.value != null) {
            records.addStored(DELETE, slot.value);
            slot.value = null;
            slot.changed = true;
        }
    }

    private void upsert(Slot slot, RowBatch input, int row, Records records, long baseOffset) {
        byte[] value = rowEncoder.encode(input.row(row));
        if (slot.value == null) {
            records.add(INSERT, row);
        } else if (StoredRow.isSameRow(slot.value, value)) {
            return;
        } else {
            records.addStored(UPDATE_BEFORE, slot.value);
            records.add(UPDATE_AFTER, row);
        }
        StoredRow.setOffset(value, baseOffset + records.count - 1);
        slot.value = value;
        slot.changed = true;
    }

    private RowBatch build(RowBatch input, Records records) {
        int arity = spec.rowType().getFieldCount();
        try (RowBatchBuilder builder = new RowBatchBuilder(spec.rowType(), allocator)) {
            for (int i = 0; i < records.count; i++) {
                RowKind kind = RowKind.fromByteValue(records.kinds[i]);
                byte[] stored = records.storedRows[i];
                if (stored == null) {
                    builder.append(input, records.inputRows[i], kind);
                } else {
                    // A copy: setting the row kind writes into the bytes.
                    RowData row = StoredRow.row(stored.clone(), arity);
                    row.setRowKind(kind);
                    builder.append(row);
                }
            }
            return builder.finish();
        }
    }

    private static List<Overlay.Change> changesOf(Slot[] slots) {
        List<Overlay.Change> changes = new ArrayList<>();
        for (Slot slot : slots) {
            if (slot != null && slot.changed) {
                slot.changed = false;
                changes.add(new Overlay.Change(slot.key, slot.value));
            }
        }
        return changes;
    }
}
