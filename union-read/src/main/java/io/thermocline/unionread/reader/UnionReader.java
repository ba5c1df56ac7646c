package io.thermocline.unionread.reader;

import io.thermocline.unionread.plan.ReadPosition;
import io.thermocline.unionread.plan.ReadStep;
import io.thermocline.unionread.plan.ReadUnit;
import java.time.Duration;
import java.util.List;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a unit, step after step, from any position it was left at. Confined to one thread, but
 * {@link #wakeUp()} may come from any.
 */
public final class UnionReader implements AutoCloseable {

    private final ReadContext context;
    private final List<ReadStep> steps;
    private final RowDataSerializer serializer;

    private int step;
    private long reported;
    private volatile @Nullable StepReader current;

    /**
     * @param context shared by the readers of a task
     * @param unit what to read
     * @param start where to start; rows before it were handled
     */
    public UnionReader(ReadContext context, ReadUnit unit, ReadPosition start) {
        this.context = context;
        this.steps = unit.steps();
        this.step = start.step();
        this.reported = start.progress();
        ColumnSelection columns =
                ColumnSelection.of(
                        context.table().spec().rowType(), context.scan().projection(), List.of());
        this.serializer = new RowDataSerializer(columns.wantedType());
    }

    /**
     * Next rows; the caller closes the chunk. A chunk without rows still moves the position.
     *
     * @return null when nothing came in time, after {@link #wakeUp()}, or at the end
     */
    public @Nullable RowChunk poll(Duration timeout) {
        if (isFinished()) {
            return null;
        }
        StepReader reader = current;
        if (reader == null) {
            reader = open(steps.get(step), reported);
            current = reader;
        }
        RowChunk chunk = reader.poll(timeout);
        if (chunk != null) {
            reported = chunk.endPosition().progress();
            return chunk;
        }
        if (reader.isFinished()) {
            current = null;
            reader.close();
            step++;
            reported = 0;
            return new PositionChunk(new ReadPosition(step, 0));
        }
        if (reader.progress() > reported) {
            reported = reader.progress();
            return new PositionChunk(new ReadPosition(step, reported));
        }
        return null;
    }

    /** Whether everything was handed out. */
    public boolean isFinished() {
        return step == steps.size();
    }

    /** Whether what comes next is a changelog. */
    public boolean isInChangelog() {
        return !isFinished() && steps.get(step) instanceof ReadStep.Changelog;
    }

    /** Makes a waiting {@link #poll} return. */
    public void wakeUp() {
        StepReader reader = current;
        if (reader != null) {
            reader.wakeUp();
        }
    }

    @Override
    public void close() {
        StepReader reader = current;
        current = null;
        if (reader != null) {
            reader.close();
        }
    }

    private StepReader open(ReadStep toOpen, long progress) {
        if (toOpen instanceof ReadStep.Changelog changelog) {
            return new ChangelogStepReader(context, changelog, step, progress);
        }
        return new BoundedStepReader(openRows(toOpen), serializer, step, progress);
    }

    private BoundedStepReader.Rows openRows(ReadStep toOpen) {
        if (toOpen instanceof ReadStep.Lake lake) {
            return new LakeRows(context, lake);
        }
        if (toOpen instanceof ReadStep.NetChanges netChanges) {
            return new NetChangeRows(context, netChanges);
        }
        ReadStep after = step + 1 < steps.size() ? steps.get(step + 1) : null;
        return KeyIndexRows.open(
                context,
                (ReadStep.KeyIndex) toOpen,
                after instanceof ReadStep.Changelog changes ? changes : null);
    }
}
