package io.thermocline.hotstore;

import java.io.Serializable;

/**
 * What reads took from each tier of a table. A read is one use of the table as a source by one
 * query; lookups are not reads.
 *
 * @param hotReads reads that touched only the hot tier
 * @param lakeReads reads that touched only the lake
 * @param mergedReads reads that touched both
 * @param hotRows rows taken from the hot tier
 * @param hotBytes bytes of them, as they were held in memory
 * @param lakeRows rows taken from the lake
 * @param lakeBytes bytes of them, as they were held in memory
 */
public record ReadFigures(
        long hotReads,
        long lakeReads,
        long mergedReads,
        long hotRows,
        long hotBytes,
        long lakeRows,
        long lakeBytes)
        implements Serializable {

    /** Nothing was read. */
    public static final ReadFigures NONE = new ReadFigures(0, 0, 0, 0, 0, 0, 0);

    /** Rows that one reader took. */
    public static ReadFigures ofRows(long hotRows, long hotBytes, long lakeRows, long lakeBytes) {
        return new ReadFigures(0, 0, 0, hotRows, hotBytes, lakeRows, lakeBytes);
    }

    /** One read that touches the hot tier, the lake, or both; {@link #NONE} if neither. */
    public static ReadFigures ofRead(boolean hot, boolean lake) {
        return new ReadFigures(
                hot && !lake ? 1 : 0, lake && !hot ? 1 : 0, hot && lake ? 1 : 0, 0, 0, 0, 0);
    }

    /** These and others together. */
    public ReadFigures plus(ReadFigures other) {
        return new ReadFigures(
                hotReads + other.hotReads,
                lakeReads + other.lakeReads,
                mergedReads + other.mergedReads,
                hotRows + other.hotRows,
                hotBytes + other.hotBytes,
                lakeRows + other.lakeRows,
                lakeBytes + other.lakeBytes);
    }
}
