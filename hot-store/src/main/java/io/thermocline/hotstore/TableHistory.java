package io.thermocline.hotstore;

import java.time.Duration;
import java.util.List;

/**
 * What happened to a table, as far as it was reported to the store: tiering rounds and reads. Kept
 * with the table's hot data, bounded, and never a reason for anything else to fail. Thread-safe.
 */
public interface TableHistory {

    /** Length of the periods by which reads are counted. */
    Duration READ_PERIOD = Duration.ofHours(1);

    /** Adds a tiering round. */
    void reportTiering(TieringReport report);

    /** The newest tiering rounds, oldest first. */
    List<TieringReport> tieringRounds();

    /** Adds to what was read in the present period. */
    void reportReads(ReadFigures figures);

    /** What was read, by period, oldest first; periods without reads are missing. */
    List<ReadPeriod> readPeriods();
}
