package io.thermocline.lake.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableUtil;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.DeleteSchemaUtil;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.StructLikeWrapper;

/** What Iceberg's table specification, and more strictly tiering, asks of deletes by position. */
final class PositionRules {

    private static final int FIRST_WITH_VECTORS = 3;

    private final Table table;

    PositionRules(Table table) {
        this.table = table;
    }

    static boolean isOf(DeleteFile delete, DataFile file) {
        return file.location().equals(ContentFileUtil.referencedDataFileLocation(delete));
    }

    static void checkOneOfEachFile(List<DeleteFile> deletes) {
        List<String> referenced =
                deletes.stream()
                        .filter(delete -> delete.content() == FileContent.POSITION_DELETES)
                        .map(ContentFileUtil::referencedDataFileLocation)
                        .toList();
        assertThat(referenced).doesNotHaveDuplicates();
    }

    /** They are sorted, and of rows that the data file has, but not of all. */
    void check(DeleteFile delete, DataFile file) {
        assertThat(delete.recordCount()).isPositive().isLessThan(file.recordCount());
        assertThat(delete.specId()).isEqualTo(file.specId());
        StructLikeWrapper wrapper =
                StructLikeWrapper.forType(table.specs().get(delete.specId()).partitionType());
        assertThat(wrapper.copyFor(delete.partition()))
                .isEqualTo(wrapper.copyFor(file.partition()));
        assertThat(ContentFileUtil.isDV(delete))
                .isEqualTo(TableUtil.formatVersion(table) >= FIRST_WITH_VECTORS);
        assertThat(delete.fileSizeInBytes())
                .isEqualTo(table.io().newInputFile(delete.location()).getLength());
        if (!ContentFileUtil.isDV(delete)) {
            checkRows(delete, file);
        }
        PositionDeleteIndex positions = of(delete);
        assertThat(positions.cardinality()).isEqualTo(delete.recordCount());
        positions.forEach(
                position -> assertThat(position).isNotNegative().isLessThan(file.recordCount()));
    }

    private void checkRows(DeleteFile delete, DataFile file) {
        List<Record> rows = FileRows.read(table, delete, DeleteSchemaUtil.pathPosSchema()).rows();
        assertThat(rows).hasSize((int) delete.recordCount());
        assertThat(rows).extracting(row -> row.getField("file_path")).containsOnly(file.location());
        assertThat(rows.stream().map(row -> (Long) row.getField("pos")).toList())
                .isSorted()
                .doesNotHaveDuplicates();
    }

    /** The positions that are deleted. */
    PositionDeleteIndex of(DeleteFile delete) {
        return new BaseDeleteLoader(file -> table.io().newInputFile(file.location()))
                .loadPositionDeletes(
                        List.of(delete), ContentFileUtil.referencedDataFileLocation(delete));
    }
}
