package io.thermocline.source;

/** Values of {@link SourceOptions#SCAN_STARTUP_MODE}. */
public enum StartupMode {
    /** The table's state, then every change. */
    FULL,
    /** Every change that the changelog still holds. */
    EARLIEST,
    /** Changes from the start of the query on. */
    LATEST,
    /** Changes from a point in time on. */
    TIMESTAMP
}
