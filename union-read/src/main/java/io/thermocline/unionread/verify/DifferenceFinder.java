package io.thermocline.unionread.verify;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.key.KeyEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;

/**
 * Names the rows by which the two sides of a bucket differ. Visits them twice: first rows are added
 * up by slots of their key's hash, then only those in slots that differ are looked at one by one.
 * So memory is bounded by the slots and a few thousandths of the rows.
 */
final class DifferenceFinder {

    /** Rows that are named at most, per group. */
    static final int MAX_NAMED = 10;

    private static final int SLOT_BITS = 16;
    private static final int MAX_SLOTS = 64;

    private final Cut cut;
    private final HotTableSpec spec;
    private final GroupOf groupOf;
    private final @Nullable KeyEncoder keyEncoder;
    private final ValueText rowText;
    private final ValueText keyText;
    private final ProjectedRowData key;

    /** Gives the group of a row; the result is valid until the next call. */
    @FunctionalInterface
    interface GroupOf {
        Group of(int bucket, BinaryRowData row);
    }

    DifferenceFinder(Cut cut, HotTableSpec spec, GroupOf groupOf) {
        this.cut = cut;
        this.spec = spec;
        this.groupOf = groupOf;
        RowType type = spec.rowType();
        this.keyEncoder =
                spec.hasPrimaryKey() ? KeyEncoder.forRows(spec, type.getFieldNames()) : null;
        this.rowText = new ValueText(type);
        int[] keyColumns = spec.primaryKey().stream().mapToInt(type::getFieldIndex).toArray();
        this.keyText =
                new ValueText(
                        new RowType(
                                Arrays.stream(keyColumns)
                                        .mapToObj(type.getFields()::get)
                                        .toList()));
        this.key = ProjectedRowData.from(keyColumns);
    }

    /** What is known of one key, or, on a log table, of one row and its equals. */
    private final class Found {
        private final Group group;
        private final String name;
        private long balance;
        private int targetCount;
        private int expectedCount;
        private boolean isChanged;
        private @Nullable Seen base;
        private @Nullable Seen before;
        private @Nullable Seen after;
        private @Nullable Seen target;

        private Found(Group group, String name) {
            this.group = new Group(group.bucket(), group.partition().copy());
            this.name = name;
        }

        private void add(Side side, int sign, BinaryRowData row) {
            Seen seen = new Seen(RowHash.of(bytes(row)), rowText.of(row, ", "));
            balance += (side == Side.TARGET ? -sign : sign) * seen.hash().low();
            switch (side) {
                case BASE -> base = seen;
                case TARGET -> target = seen;
                case CHANGELOG -> {
                    if (!isChanged) {
                        before = sign < 0 ? seen : null;
                        isChanged = true;
                    }
                    after = sign > 0 ? seen : null;
                }
            }
            if (side == Side.TARGET) {
                targetCount += sign;
            } else {
                expectedCount += sign;
            }
        }

        private String describe() {
            if (keyEncoder == null) {
                return "(%s): %d times in %s with the changelog after it, %d times in %s"
                        .formatted(
                                name, expectedCount, cut.baseName(), targetCount, cut.targetName());
            }
            if (isChanged && !Objects.equals(base, before)) {
                return "key (%s): the changelog goes on from %s, but %s has %s"
                        .formatted(name, text(before), cut.baseName(), text(base));
            }
            return "key (%s): %s has %s, the key index has %s"
                    .formatted(
                            name,
                            isChanged ? "the changelog" : cut.baseName(),
                            text(isChanged ? after : base),
                            text(target));
        }

        private String text(@Nullable Seen seen) {
            return seen == null ? "no row" : "(" + seen.text() + ")";
        }
    }

    /**
     * A row that was seen.
     *
     * @param hash of all its bytes
     * @param text perhaps cut
     */
    private record Seen(RowHash hash, String text) {}

    /**
     * Finds differences.
     *
     * @param bucket bucket to look at
     * @param wanted groups to look at
     * @return texts by group, in key order
     */
    Map<Group, List<String>> find(int bucket, Predicate<Group> wanted) {
        BitSet slots = differingSlots(bucket, wanted);
        Map<Name, Found> found = new TreeMap<>();
        cut.visit(
                bucket,
                (number, side, sign, row) -> {
                    Group group = groupOf.of(number, row);
                    byte[] keyBytes = keyBytes(row);
                    if (wanted.test(group) && slots.get(slot(keyBytes))) {
                        found.computeIfAbsent(new Name(keyBytes), n -> new Found(group, name(row)))
                                .add(side, sign, row);
                    }
                });
        Map<Group, List<String>> texts = new HashMap<>();
        for (Found each : found.values()) {
            List<String> ofGroup = texts.computeIfAbsent(each.group, g -> new ArrayList<>());
            if (each.balance != 0 && ofGroup.size() < MAX_NAMED) {
                ofGroup.add(each.describe());
            }
        }
        return texts;
    }

    private BitSet differingSlots(int bucket, Predicate<Group> wanted) {
        long[] sums = new long[1 << SLOT_BITS];
        cut.visit(
                bucket,
                (number, side, sign, row) -> {
                    if (wanted.test(groupOf.of(number, row))) {
                        long hash = RowHash.of(bytes(row)).low();
                        sums[slot(keyBytes(row))] += (side == Side.TARGET ? -sign : sign) * hash;
                    }
                });
        BitSet differing = new BitSet();
        for (int slot = 0; slot < sums.length && differing.cardinality() < MAX_SLOTS; slot++) {
            if (sums[slot] != 0) {
                differing.set(slot);
            }
        }
        return differing;
    }

    private byte[] keyBytes(BinaryRowData row) {
        return keyEncoder == null ? bytes(row) : keyEncoder.encode(row);
    }

    private String name(BinaryRowData row) {
        return spec.hasPrimaryKey() ? keyText.of(key.replaceRow(row), ", ") : rowText.of(row, ", ");
    }

    private static int slot(byte[] keyBytes) {
        return (int) (RowHash.of(keyBytes).high() >>> (Long.SIZE - SLOT_BITS));
    }

    static byte[] bytes(BinaryRowData row) {
        byte[] bytes = new byte[row.getSizeInBytes()];
        org.apache.flink.table.data.binary.BinarySegmentUtils.copyToBytes(
                row.getSegments(), row.getOffset(), bytes, 0, bytes.length);
        return bytes;
    }

    /** Bytes in key order. */
    private record Name(byte[] bytes) implements Comparable<Name> {

        @Override
        public int compareTo(Name other) {
            return Arrays.compareUnsigned(bytes, other.bytes);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Name name && Arrays.equals(bytes, name.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }
}
