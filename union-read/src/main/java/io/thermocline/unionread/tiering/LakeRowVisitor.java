package io.thermocline.unionread.tiering;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTable;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.CloseableIterator;

/** Shows the rows of lake splits, with all columns, one after the other. */
record LakeRowVisitor(HotTableSpec spec, LakeTable lake) {

    /**
     * @param snapshotId snapshot that the splits are of
     * @param visitor is given each row; it is valid until the visitor returns
     */
    void visit(long snapshotId, List<LakeSplit> splits, Consumer<RowData> visitor) {
        for (LakeSplit split : splits) {
            visit(snapshotId, split, visitor);
        }
    }

    void visit(long snapshotId, LakeSplit split, Consumer<RowData> visitor) {
        LakeScan scan = new LakeScan(snapshotId, spec.rowType().getFieldNames(), null);
        try (CloseableIterator<RowData> rows = lake.read(split, scan)) {
            while (rows.hasNext()) {
                visitor.accept(rows.next());
                RoundInterruption.check(spec);
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new LakeException(
                    Reason.IO,
                    "cannot close a split of lake snapshot "
                            + snapshotId
                            + " of table "
                            + spec.path().getFullName(),
                    e);
        }
    }
}
