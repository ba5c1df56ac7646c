package io.thermocline.unionread.testing;

import io.thermocline.hotstore.HotTable;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.UnionScan;
import io.thermocline.unionread.plan.ReadPlan;
import io.thermocline.unionread.plan.ReadPosition;
import io.thermocline.unionread.plan.ReadUnit;
import io.thermocline.unionread.reader.ReadContext;
import io.thermocline.unionread.reader.RowChunk;
import io.thermocline.unionread.reader.SpillSettings;
import io.thermocline.unionread.reader.UnionReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;

/** Reads plans to their ends, now and then starting a reader over where it was left. */
public final class PlanRows {

    private static final Duration POLL = Duration.ofMillis(200);

    private final LogicalTable table;
    private final UnionScan scan;
    private final HotTable hot;
    private final SpillSettings spill;
    private final Random random;

    public PlanRows(
            LogicalTable table, UnionScan scan, HotTable hot, SpillSettings spill, Random random) {
        this.table = table;
        this.scan = scan;
        this.hot = hot;
        this.spill = spill;
        this.random = random;
    }

    /** Gives all rows of the plan's bounded units to the consumer; rows are only valid there. */
    public void forEach(ReadPlan plan, Consumer<RowData> consumer) {
        List<ReadUnit> units = new ArrayList<>(plan.units());
        Collections.shuffle(units, random);
        try (ReadContext context = new ReadContext(table, scan, () -> hot, spill)) {
            for (ReadUnit unit : units) {
                ReadPosition position = ReadPosition.START;
                while (position.step() < unit.steps().size()) {
                    position = readSome(context, unit, position, consumer);
                }
            }
        }
    }

    private ReadPosition readSome(
            ReadContext context, ReadUnit unit, ReadPosition start, Consumer<RowData> consumer) {
        ReadPosition position = start;
        int chunksBeforeRestart = 1 + random.nextInt(3);
        try (UnionReader reader = new UnionReader(context, unit, start)) {
            while (!reader.isFinished() && chunksBeforeRestart > 0) {
                RowChunk chunk = reader.poll(POLL);
                if (chunk == null) {
                    continue;
                }
                try (chunk) {
                    chunksBeforeRestart--;
                    int rows = chunk.rowCount();
                    int taken =
                            chunksBeforeRestart == 0 && rows > 0 ? random.nextInt(rows + 1) : rows;
                    for (int i = 0; i < taken; i++) {
                        consumer.accept(chunk.row(i));
                        position = chunk.positionAfter(i);
                    }
                    if (taken == rows) {
                        position = chunk.endPosition();
                    }
                }
            }
        }
        return position;
    }
}
