package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import java.time.Duration;
import org.apache.flink.util.TimeUtils;

/**
 * What a table's changelog keeps.
 *
 * @param kept for this long at least
 * @param tiering whether the lake gets the table's rows
 * @param hasPrimaryKey whether the key index holds the table's rows
 */
record Retention(Duration kept, boolean tiering, boolean hasPrimaryKey) {

    static final String RETENTION_OPTION = "hot.log.retention";
    static final String TIERING_OPTION = "tiering.enabled";

    private static final Duration DEFAULT = Duration.ofDays(1);

    /**
     * @throws HotStoreException {@code INVALID_ARGUMENT} for an option that cannot be understood
     */
    static Retention of(HotTableSpec spec) {
        String kept = spec.options().get(RETENTION_OPTION);
        Duration duration = DEFAULT;
        if (kept != null) {
            try {
                duration = TimeUtils.parseDuration(kept);
            } catch (IllegalArgumentException e) {
                throw new HotStoreException(
                        ErrorCode.INVALID_ARGUMENT,
                        "option '"
                                + RETENTION_OPTION
                                + "' of table "
                                + spec.path()
                                + " is '"
                                + kept
                                + "', which is no duration. Write it like '1 d' or '12 h'.",
                        e);
            }
        }
        String tiering = spec.options().getOrDefault(TIERING_OPTION, "true");
        return new Retention(duration, Boolean.parseBoolean(tiering), spec.hasPrimaryKey());
    }

    /** Records with a lower commit timestamp may go, as far as age is concerned. */
    long oldestKept(long now) {
        long millis;
        try {
            millis = kept.toMillis();
        } catch (ArithmeticException e) {
            return Long.MIN_VALUE;
        }
        return now - millis;
    }

    /**
     * Records below this offset may go, as far as their copies elsewhere are concerned.
     *
     * @param safeOffset the lake is sure to hold what is below
     * @param flushedOffset the key index would still hold what is below after a crash
     * @param leasedOffset lowest offset under a lease
     */
    long limit(long safeOffset, long flushedOffset, long leasedOffset) {
        long limit = leasedOffset;
        if (tiering) {
            limit = Math.min(limit, safeOffset);
        } else if (!hasPrimaryKey) {
            return 0; // The changelog is the only copy.
        }
        return hasPrimaryKey ? Math.min(limit, flushedOffset) : limit;
    }
}
