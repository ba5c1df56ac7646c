package io.thermocline.hotstore.local;

import io.thermocline.hotstore.TieringResult;
import org.apache.flink.table.catalog.ObjectPath;

/** Runs tiering rounds. Thread-safe. */
@FunctionalInterface
public interface Tierer {

    /** Runs a round of the table and returns once its lake snapshot is committed. */
    TieringResult tier(ObjectPath path, String tableId);
}
