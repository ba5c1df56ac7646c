package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTableDefinition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.CloseableIterator;
import org.apache.iceberg.BaseCombinedScanTask;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.expressions.Binder;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.flink.source.DataIterator;
import org.apache.iceberg.flink.source.RowDataFileScanTaskReader;
import org.apache.iceberg.types.Types;

/** Reads splits: the rows of data files without those that were deleted. */
final class SplitReading {

    private final Table table;
    private final LakeTableDefinition definition;

    SplitReading(Table table, LakeTableDefinition definition) {
        this.table = table;
        this.definition = definition;
    }

    CloseableIterator<RowData> read(LakeSplit split, LakeScan scan) {
        List<Types.NestedField> columns = columns(scan.projection());
        UnaryOperator<Object> conversion = conversion(scan.projection());
        List<Types.NestedField> readColumns = readColumns(columns, scan);
        if (readColumns.size() > columns.size()) {
            ProjectedRowData projected =
                    ProjectedRowData.from(IntStream.range(0, columns.size()).toArray());
            UnaryOperator<Object> converted = conversion;
            conversion = row -> converted.apply(projected.replaceRow((RowData) row));
        }
        try {
            List<FileScanTask> tasks = SplitCodec.decode(split.payload());
            return new Rows(open(table, tasks, new Schema(readColumns)), conversion, scan);
        } catch (IOException | RuntimeException e) {
            throw failure(scan, e);
        }
    }

    /** Rows of some files, as Iceberg reads them. */
    static DataIterator<RowData> open(Table table, List<FileScanTask> tasks, Schema projection) {
        return new DataIterator<>(
                new RowDataFileScanTaskReader(
                        table.schema(),
                        projection,
                        table.properties().get(TableProperties.DEFAULT_NAME_MAPPING),
                        true,
                        List.of()),
                new BaseCombinedScanTask(tasks),
                table.io(),
                table.encryption());
    }

    /** The columns wanted, those that the filter needs, and at least one. */
    private List<Types.NestedField> readColumns(List<Types.NestedField> wanted, LakeScan scan) {
        List<Types.NestedField> columns = new ArrayList<>(wanted);
        if (scan.filter() != null) {
            Expression filter = ((IcebergLakeFilter) scan.filter()).expression();
            Set<Integer> ids =
                    Binder.boundReferences(table.schema().asStruct(), List.of(filter), true);
            for (Types.NestedField column : table.schema().columns()) {
                if (ids.contains(column.fieldId()) && !columns.contains(column)) {
                    columns.add(column);
                }
            }
        }
        if (columns.isEmpty()) {
            columns.add(cheapestColumn());
        }
        return columns;
    }

    private UnaryOperator<Object> conversion(List<String> projection) {
        RowType rowType = definition.rowType();
        return ValueConversion.outOfLake(
                        new RowType(
                                false,
                                projection.stream()
                                        .map(
                                                name ->
                                                        rowType.getFields()
                                                                .get(rowType.getFieldIndex(name)))
                                        .toList()))
                .orElse(UnaryOperator.identity());
    }

    private List<Types.NestedField> columns(List<String> names) {
        List<Types.NestedField> columns = new ArrayList<>();
        for (String name : names) {
            // A name with dots would be taken for a path.
            columns.add(
                    table.schema().columns().stream()
                            .filter(column -> column.name().equals(name))
                            .findFirst()
                            .orElseThrow(() -> unknownColumn(name)));
        }
        return columns;
    }

    private LakeException unknownColumn(String name) {
        return new LakeException(
                Reason.UNSUPPORTED,
                "column '"
                        + name
                        + "' does not exist in lake table "
                        + definition.path().getFullName()
                        + ", which has "
                        + definition.rowType().getFieldNames()
                        + ". Restart the job to see the present columns.");
    }

    /** Rows without columns are counted on a column that costs little to read. */
    private Types.NestedField cheapestColumn() {
        List<Types.NestedField> columns = table.schema().columns();
        return columns.stream()
                .filter(column -> column.type().isPrimitiveType())
                .findFirst()
                .orElse(columns.get(0));
    }

    private LakeException failure(LakeScan scan, Exception e) {
        return new LakeException(
                Reason.IO,
                "cannot read a split of lake snapshot "
                        + scan.snapshotId()
                        + " of table "
                        + definition.path().getFullName()
                        + ": "
                        + e.getMessage()
                        + ". If a data file is missing, the snapshot has expired: start the read"
                        + " again.",
                e);
    }

    private final class Rows implements CloseableIterator<RowData> {

        private final DataIterator<RowData> rows;
        private final UnaryOperator<Object> conversion;
        private final LakeScan scan;

        private Rows(DataIterator<RowData> rows, UnaryOperator<Object> conversion, LakeScan scan) {
            this.rows = rows;
            this.conversion = conversion;
            this.scan = scan;
        }

        @Override
        public boolean hasNext() {
            try {
                return rows.hasNext();
            } catch (RuntimeException e) {
                throw failure(scan, e);
            }
        }

        @Override
        public RowData next() {
            return (RowData) conversion.apply(rows.next());
        }

        @Override
        public void close() throws IOException {
            rows.close();
        }
    }
}
