package io.thermocline.source;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.lake.LakeException;
import io.thermocline.unionread.reader.LostPositionException;
import org.apache.flink.runtime.execution.SuppressRestartsException;

/** Tells Flink which failures a restart cannot mend, so that such a job fails once and for all. */
public final class ReadFailures {

    private ReadFailures() {}

    /** The failure as Flink should see it: marked if every restart would end in it again. */
    public static RuntimeException forFlink(RuntimeException failure) {
        return isFinal(failure, true) ? new SuppressRestartsException(failure) : failure;
    }

    /** The same for the failure of planning: a snapshot that is gone has a newer one then. */
    public static RuntimeException ofPlanning(RuntimeException failure) {
        return isFinal(failure, false) ? new SuppressRestartsException(failure) : failure;
    }

    /**
     * A state was taken from an earlier table of the same name.
     *
     * @param table the table that there is now
     * @param tableId id of the earlier one
     */
    public static HotStoreException recreated(HotTableSpec table, String tableId) {
        return new HotStoreException(
                ErrorCode.TABLE_RECREATED,
                "the state to restore was read from table id "
                        + tableId
                        + ", but table "
                        + table.path()
                        + " has id "
                        + table.tableId()
                        + " now: it was dropped and created again. Start the query without the old"
                        + " state");
    }

    /**
     * @param fixedPosition whether a restart would read from the same snapshot and offsets
     */
    private static boolean isFinal(Throwable failure, boolean fixedPosition) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof LostPositionException) {
                return fixedPosition;
            }
            if (cause instanceof HotStoreException ofHotStore) {
                return switch (ofHotStore.code()) {
                    case TABLE_NOT_FOUND, TABLE_RECREATED -> true;
                    default -> false;
                };
            }
            if (cause instanceof LakeException ofLake) {
                return switch (ofLake.reason()) {
                    case TABLE_NOT_FOUND -> true;
                    case SNAPSHOT_NOT_FOUND -> fixedPosition;
                    default -> false;
                };
            }
        }
        return false;
    }
}
