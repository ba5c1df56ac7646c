package io.thermocline.hotstore.local;

import io.thermocline.hotstore.TieringReport;
import io.thermocline.hotstore.TieringResult;
import org.jspecify.annotations.Nullable;

/**
 * Tiering rounds of a table since the store was opened.
 *
 * @param committed rounds that committed
 * @param failed rounds that failed
 * @param rows rows written
 * @param files data files written
 * @param bytes their size together
 * @param foreignCommits commits of others that were seen
 * @param last the newest round that committed; null if there is none
 */
public record TieringTotal(
        long committed,
        long failed,
        long rows,
        long files,
        long bytes,
        long foreignCommits,
        @Nullable TieringReport last) {

    static final TieringTotal NONE = new TieringTotal(0, 0, 0, 0, 0, 0, null);

    TieringTotal plus(TieringReport report) {
        TieringResult result = report.result();
        if (result == null) {
            return new TieringTotal(
                    committed, failed + 1, rows, files, bytes, foreignCommits, last);
        }
        Integer foreign = result.foreignCommits();
        return new TieringTotal(
                committed + 1,
                failed,
                rows + result.rows(),
                files + result.files(),
                bytes + result.bytes(),
                foreignCommits + (foreign == null ? 0 : foreign),
                report);
    }
}
