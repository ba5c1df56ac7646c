package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.local.keyindex.StoredRow;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides, while rows of the lake are taken over into a bucket, whose keys the hot tier has changed
 * itself and not tiered yet. Confined to the bucket's executor, unless said otherwise.
 */
public final class AbsorptionGuard {

    /** Keys deleted while one absorption is under way; bounds its memory. */
    static final int MAX_DELETED_KEYS = 1 << 18;

    private final long tieredOffset;

    /** Start to exclusive end of the records that were taken from the lake. */
    private final TreeMap<Long, Long> marked = new TreeMap<>();

    private final Set<KeyBytes> deleted = new HashSet<>();
    private volatile @Nullable String broken;

    /**
     * @param tieredOffset the lake holds what lies below
     */
    public AbsorptionGuard(long tieredOffset) {
        this.tieredOffset = tieredOffset;
    }

    /**
     * Records from the lake, which do not count as changes of the hot tier. May be called from
     * another thread before the first rows are appended.
     */
    public void addMarked(long start, long end) {
        marked.put(start, end);
    }

    /** A key that a writer has just deleted. */
    void addDeleted(KeyBytes key) {
        if (deleted.size() == MAX_DELETED_KEYS) {
            broken = "writers deleted more than " + MAX_DELETED_KEYS + " keys meanwhile";
        } else {
            deleted.add(key);
        }
    }

    /**
     * Whether a key stays as the hot tier has it.
     *
     * @param value its present row; null if there is none
     */
    boolean keeps(KeyBytes key, byte @Nullable [] value) {
        if (value == null) {
            return deleted.contains(key);
        }
        long offset = StoredRow.offset(value);
        if (offset < tieredOffset) {
            return false;
        }
        Map.Entry<Long, Long> range = marked.floorEntry(offset);
        return range == null || offset >= range.getValue();
    }

    /** Rows of the lake were refused: those behind them must not come without them. */
    void failed() {
        if (broken == null) {
            broken = "rows before these could not be taken over";
        }
    }

    /** Batches that were seen here are lost. */
    void revoked() {
        broken = "batches of writers were lost meanwhile";
    }

    /** May be called from any thread. */
    public boolean isBroken() {
        return broken != null;
    }

    /**
     * May be called from any thread.
     *
     * @throws HotStoreException {@code STORE_FAILED} if it cannot decide any more
     */
    public void check() {
        String why = broken;
        if (why != null) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "taking over rows of the lake was given up: "
                            + why
                            + ". The next tiering round does it again.");
        }
    }
}
