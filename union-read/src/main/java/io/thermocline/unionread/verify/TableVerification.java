package io.thermocline.unionread.verify;

import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.plan.OffsetRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.RowType;

/**
 * Compares changelog, key index and lake of a table at one cut, while writers go on. Each is read
 * once, and buckets that differ twice more, to name rows that do. Memory does not depend on the
 * number of rows.
 */
public final class TableVerification {

    /** Buckets that differ in which rows are named; of further ones only the sums are told. */
    static final int MAX_NAMED_BUCKETS = 16;

    /** Partition of a bucket without rows. */
    private static final BinaryRowData NO_PARTITION =
            new RowDataSerializer(new RowType(List.of())).toBinaryRow(new GenericRowData(0)).copy();

    private final LogicalTable table;
    private final HotTableSpec spec;
    private final HotTable hot;
    private final ProjectedRowData partition;
    private final RowDataSerializer partitionSerializer;
    private final ValueText partitionText;

    public TableVerification(LogicalTable table, HotTable hot) {
        this.table = table;
        this.spec = table.spec();
        this.hot = hot;
        RowType type = spec.rowType();
        int[] columns = spec.partitionKeys().stream().mapToInt(type::getFieldIndex).toArray();
        this.partition = ProjectedRowData.from(columns);
        RowType partitionType =
                new RowType(
                        java.util.Arrays.stream(columns).mapToObj(type.getFields()::get).toList());
        this.partitionSerializer = new RowDataSerializer(partitionType);
        this.partitionText = new ValueText(partitionType);
    }

    /** What was added up for a group. */
    private static final class Sums {
        private RowSum base = RowSum.NONE;
        private RowSum changes = RowSum.NONE;
        private RowSum target = RowSum.NONE;

        private void add(Side side, int sign, RowHash hash) {
            switch (side) {
                case BASE -> base = base.with(hash, sign);
                case CHANGELOG -> changes = changes.with(hash, sign);
                case TARGET -> target = target.with(hash, sign);
            }
        }

        private boolean agree() {
            return base.plus(changes).equals(target);
        }
    }

    /**
     * Compares.
     *
     * @return one element per bucket and partition, in this order; a bucket without rows has one
     * @throws io.thermocline.hotstore.HotStoreException {@code OFFSET_OUT_OF_RANGE}, {@code
     *     TIERED_OFFSET_AHEAD} if the tiers do not belong together any more
     */
    public List<Comparison> run() {
        try (Cut cut = new CutPlanner(table, hot).take()) {
            Map<Group, Sums> sums = new HashMap<>();
            cut.visit(
                    Cut.ANY_BUCKET,
                    (bucket, side, sign, row) -> {
                        Group group = groupOf(bucket, row);
                        Sums ofGroup = sums.get(group);
                        if (ofGroup == null) {
                            ofGroup = new Sums();
                            sums.put(new Group(bucket, group.partition().copy()), ofGroup);
                        }
                        ofGroup.add(side, sign, RowHash.of(DifferenceFinder.bytes(row)));
                    });
            addEmptyBuckets(cut, sums);
            Map<Group, List<String>> differences = differences(cut, sums);
            List<Comparison> comparisons = new ArrayList<>();
            sums.forEach(
                    (group, ofGroup) ->
                            comparisons.add(
                                    comparison(
                                            cut,
                                            group,
                                            ofGroup,
                                            differences.getOrDefault(group, List.of()))));
            comparisons.sort(
                    Comparator.comparing(
                                    Comparison::bucket,
                                    Comparator.nullsFirst(Comparator.naturalOrder()))
                            .thenComparing(
                                    Comparison::partition,
                                    Comparator.nullsFirst(Comparator.naturalOrder())));
            return List.copyOf(comparisons);
        }
    }

    private void addEmptyBuckets(Cut cut, Map<Group, Sums> sums) {
        Set<Integer> present = new HashSet<>();
        sums.keySet().forEach(group -> present.add(group.bucket()));
        int first = cut.keepsBuckets() ? 0 : Cut.ANY_BUCKET;
        int end = cut.keepsBuckets() ? spec.bucketCount() : first + 1;
        for (int bucket = first; bucket < end; bucket++) {
            if (!present.contains(bucket)) {
                sums.put(new Group(bucket, NO_PARTITION), new Sums());
            }
        }
    }

    private Map<Group, List<String>> differences(Cut cut, Map<Group, Sums> sums) {
        Set<Group> differing = new HashSet<>();
        sums.forEach(
                (group, ofGroup) -> {
                    if (!ofGroup.agree()) {
                        differing.add(group);
                    }
                });
        Set<Integer> buckets = new TreeSet<>();
        differing.forEach(group -> buckets.add(group.bucket()));
        Map<Group, List<String>> differences = new HashMap<>();
        DifferenceFinder finder = new DifferenceFinder(cut, spec, this::groupOf);
        buckets.stream()
                .limit(MAX_NAMED_BUCKETS)
                .forEach(bucket -> differences.putAll(finder.find(bucket, differing::contains)));
        return differences;
    }

    private Comparison comparison(Cut cut, Group group, Sums sums, List<String> differences) {
        OffsetRange changes = cut.parts().changes().get(group.bucket());
        return new Comparison(
                group.bucket() == Cut.ANY_BUCKET ? null : group.bucket(),
                group.partition().getArity() == 0 ? null : partitionText.of(group.partition(), "/"),
                cut.parts().base() == null ? null : cut.parts().base().snapshotId(),
                changes == null ? null : new Comparison.Offsets(changes.start(), changes.end()),
                sums.base.rows(),
                sums.changes.rows(),
                cut.targetName(),
                sums.target.rows(),
                sums.base.plus(sums.changes).checksum(),
                sums.target.checksum(),
                differences);
    }

    /** The group of a row; its partition is valid until the next call. */
    private Group groupOf(int bucket, BinaryRowData row) {
        BinaryRowData values = partitionSerializer.toBinaryRow(partition.replaceRow(row));
        return new Group(bucket, values);
    }

    /** Whether every comparison agrees. */
    public static boolean agree(List<Comparison> comparisons) {
        return comparisons.stream().allMatch(Comparison::agrees);
    }
}
