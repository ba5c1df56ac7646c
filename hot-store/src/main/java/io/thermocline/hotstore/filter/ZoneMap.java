package io.thermocline.hotstore.filter;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known about the values of a frame group without reading them.
 *
 * @param recordCount number of rows
 * @param columns one range per column, in the order of the group's schema version
 * @param partitions the partitions of the rows, encoded by {@code PartitionEncoder}; null if
 *     unknown or too many
 */
public record ZoneMap(
        int recordCount, List<ColumnRange> columns, @Nullable List<byte[]> partitions) {

    public ZoneMap {
        columns = List.copyOf(columns);
        partitions = partitions == null ? null : List.copyOf(partitions);
    }

    /**
     * Values of one column. Bounds are encoded by {@code KeyColumnEncoder}: their unsigned byte
     * order is value order.
     *
     * @param nullCount number of NULLs
     * @param min no value is below it; null if unknown
     * @param max no value is above it; null if unknown
     * @param exact whether both bounds are values of the column, not shortened ones
     */
    public record ColumnRange(
            int nullCount, byte @Nullable [] min, byte @Nullable [] max, boolean exact) {

        /** A range of a column of which only the number of NULLs is known. */
        public static ColumnRange unbounded(int nullCount) {
            return new ColumnRange(nullCount, null, null, false);
        }
    }
}
