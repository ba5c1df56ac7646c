package io.thermocline.unionread.testing;

import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.UnionScan;
import io.thermocline.unionread.plan.LeaseHolder;
import io.thermocline.unionread.plan.ReadPlan;
import io.thermocline.unionread.plan.ReadPosition;
import io.thermocline.unionread.plan.ReadStep;
import io.thermocline.unionread.plan.ReadUnit;
import io.thermocline.unionread.plan.Startup;
import io.thermocline.unionread.plan.Tier;
import io.thermocline.unionread.plan.UnionPlanner;
import io.thermocline.unionread.reader.ReadContext;
import io.thermocline.unionread.reader.RowChunk;
import io.thermocline.unionread.reader.SpillSettings;
import io.thermocline.unionread.reader.UnionReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.flink.table.data.RowData;

/** A streaming read that began once and is told when to go on. Its lease outlives the test. */
public final class RunningStream {

    private static final LeaseHolder HOLDER =
            new LeaseHolder("running", Duration.ofMinutes(10), false);
    private static final Duration POLL = Duration.ofMillis(200);

    private final LogicalTable table;
    private final UnionScan scan;
    private final Supplier<HotTable> hot;
    private final SpillSettings spill;
    private final ReadPlan plan;
    private final Map<String, ReadPosition> positions = new HashMap<>();

    /**
     * Begins with the table's state.
     *
     * @param hot opens the hot table
     */
    public RunningStream(
            LogicalTable table, UnionScan scan, Supplier<HotTable> hot, SpillSettings spill) {
        this.table = table;
        this.scan = scan;
        this.hot = hot;
        this.spill = spill;
        try (HotTable open = hot.get()) {
            this.plan =
                    new UnionPlanner(table, scan, () -> open, HOLDER)
                            .planUnbounded(new Startup.Full(), Tier.UNION);
        }
    }

    /** Gives everything up to now to the consumer; rows are only valid there. */
    public void advance(Consumer<RowData> consumer) {
        try (HotTable open = hot.get();
                ReadContext context = new ReadContext(table, scan, () -> open, spill)) {
            Map<Integer, Long> ends = open.offsets(new OffsetQuery.Latest()).offsets();
            for (ReadUnit unit : plan.units()) {
                ReadPosition from = positions.getOrDefault(unit.id(), ReadPosition.START);
                read(new UnionReader(context, upTo(unit, ends), from), consumer);
                positions.put(unit.id(), reached(unit, ends));
            }
        }
    }

    private static void read(UnionReader opened, Consumer<RowData> consumer) {
        try (UnionReader reader = opened) {
            while (!reader.isFinished()) {
                RowChunk chunk = reader.poll(POLL);
                if (chunk != null) {
                    try (chunk) {
                        for (int i = 0; i < chunk.rowCount(); i++) {
                            consumer.accept(chunk.row(i));
                        }
                    }
                }
            }
        }
    }

    /** A unit that ends where its bucket ends now. */
    public static ReadUnit upTo(ReadUnit unit, Map<Integer, Long> ends) {
        if (!unit.isUnbounded()) {
            return unit;
        }
        List<ReadStep> steps = new ArrayList<>(unit.steps());
        ReadStep.Changelog tail = (ReadStep.Changelog) steps.remove(steps.size() - 1);
        steps.add(
                new ReadStep.Changelog(
                        tail.bucket(),
                        tail.startOffset(),
                        ends.get(tail.bucket()),
                        tail.lakeSequence()));
        return new ReadUnit(unit.id(), unit.bucket(), steps);
    }

    private static ReadPosition reached(ReadUnit unit, Map<Integer, Long> ends) {
        int last = unit.steps().size() - 1;
        return unit.steps().get(last) instanceof ReadStep.Changelog tail
                        && tail.endOffset() == ChangelogScan.UNBOUNDED
                ? new ReadPosition(last, ends.get(tail.bucket()) - tail.startOffset())
                : new ReadPosition(last + 1, 0);
    }
}
