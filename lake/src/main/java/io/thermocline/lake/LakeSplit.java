package io.thermocline.lake;

import java.io.Serializable;

/**
 * A unit of reading work on a lake snapshot.
 *
 * @param bucket the bucket whose rows it holds; {@link #UNKNOWN_BUCKET} if the layout is not
 *     aligned
 * @param rowCount estimated number of rows
 * @param payload the binding's own serialized form
 */
public record LakeSplit(int bucket, long rowCount, byte[] payload) implements Serializable {

    /** The split may hold rows of any bucket. */
    public static final int UNKNOWN_BUCKET = -1;
}
