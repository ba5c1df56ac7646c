package io.thermocline.hotstore.format;

import io.thermocline.hotstore.LakeMark;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where a frame group comes from.
 *
 * @param tableId id of the table
 * @param bucket bucket number
 * @param schemaVersion schema version of the rows
 * @param writer the input batch it is made of; null if it is none, or several
 * @param stagingId id of the staged chunk that it applies; null if there is none
 * @param inputPosition position of the input batch in a replicated input log; null if there is none
 * @param mark where the rows were taken from, if they come from the lake; null if they do not
 */
public record GroupOrigin(
        UUID tableId,
        int bucket,
        int schemaVersion,
        @Nullable Writer writer,
        @Nullable UUID stagingId,
        @Nullable Long inputPosition,
        @Nullable LakeMark mark) {

    /**
     * An input batch.
     *
     * @param id id of the writer
     * @param epoch which of the writer's lives it is from; 0 if it has one only
     * @param sequence number of the batch among those of this life to this bucket, from 0
     */
    public record Writer(UUID id, long epoch, long sequence) {}

    /** An origin without staging id and input position. */
    public GroupOrigin(UUID tableId, int bucket, int schemaVersion, @Nullable Writer writer) {
        this(tableId, bucket, schemaVersion, writer, null, null, null);
    }

    /** The same origin of rows that come from the lake. */
    public GroupOrigin marked(@Nullable LakeMark newMark) {
        return new GroupOrigin(
                tableId, bucket, schemaVersion, writer, stagingId, inputPosition, newMark);
    }
}
