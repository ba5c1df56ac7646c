package io.thermocline.unionread.reader;

import io.thermocline.unionread.plan.ReadStep;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** The last rows of a hot tail's keys. */
final class NetChangeRows implements BoundedStepReader.Rows {

    private final NetChangeReader reader;

    NetChangeRows(ReadContext context, ReadStep.NetChanges step) {
        this.reader =
                new NetChangeReader(
                        context.hotTable(),
                        new NetChangeScan(
                                step.bucket(),
                                step.range().start(),
                                step.range().end(),
                                context.scan().projection(),
                                false,
                                context.scan().changelogFilter()),
                        context.spill());
    }

    @Override
    public @Nullable RowData next() {
        return reader.next();
    }

    @Override
    public void close() {
        reader.close();
    }
}
