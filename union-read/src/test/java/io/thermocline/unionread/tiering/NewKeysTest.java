package io.thermocline.unionread.tiering;

import static io.thermocline.unionread.tiering.TieredTable.delete;
import static io.thermocline.unionread.tiering.TieredTable.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.TieringResult;
import java.nio.file.Path;
import java.util.Map;
import org.apache.iceberg.hadoop.HadoopTables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rounds into a lake where replacing a row costs a delete. */
class NewKeysTest {

    @TempDir private Path directory;

    private Map<String, String> summary() {
        return new HadoopTables()
                .load(directory.resolve("lake/default/t").toString())
                .currentSnapshot()
                .summary();
    }

    @Test
    void keysThatAreNewToTheTableCauseNoDelete() {
        try (TieredTable table = new TieredTable(directory, true, "iceberg")) {
            table.append(row("a", 1), row("b", 1), row("a", 2), row("a", 3), delete(3));

            TieringResult result = table.tier();

            assertThat(result.rows()).isEqualTo(2);
            assertThat(summary())
                    .containsEntry("total-records", "2")
                    .containsEntry("total-delete-files", "0");
            assertThat(table.lakeRows()).containsExactlyInAnyOrder("1=b", "2=a");
        }
    }

    @Test
    void keysThatWereThereAreDeletedWhateverHappenedToThem() {
        try (TieredTable table = new TieredTable(directory, true, "iceberg")) {
            table.append(row("a", 1), row("a", 2), row("a", 3), row("a", 4));
            table.tier();
            table.append(
                    row("b", 1),
                    delete(2),
                    delete(3),
                    row("again", 3),
                    row("new", 5),
                    row("newer", 5),
                    row("gone", 6),
                    delete(6),
                    row("back", 6));

            table.tier();

            assertThat(summary())
                    .containsEntry("added-equality-deletes", "3")
                    .containsEntry("added-records", "4");
            assertThat(table.lakeRows())
                    .containsExactlyInAnyOrder("1=b", "3=again", "4=a", "5=newer", "6=back");
        }
    }
}
