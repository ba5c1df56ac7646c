package io.thermocline.lake;

import io.thermocline.lake.LakeException.Reason;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.table.catalog.ObjectPath;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries a commit until it is known to have happened, or not to happen. Whether it happened is read
 * from the lake, because a commit that fails may have been made all the same.
 */
public final class CommitAttempts {

    private static final Logger LOG = LoggerFactory.getLogger(CommitAttempts.class);

    private static final int MAX_ATTEMPTS = 20;

    private CommitAttempts() {}

    /** A commit that can be tried more than once. */
    public interface Attempt {

        /**
         * Tries it.
         *
         * @throws LakeException {@code COMMIT_CONFLICT} or {@code FOREIGN_COMMIT}, or as a cause of
         *     what is thrown, if the lake is not as the commit expects it
         */
        void run();

        /** The snapshot that one of the attempts has made. */
        Optional<LakeSnapshot> committed();

        /**
         * Whether an attempt without a snapshot has certainly committed nothing.
         *
         * @param failure what it threw; null if nothing
         */
        boolean isCertain(@Nullable RuntimeException failure);

        /** Deletes the files of the commit, to which no snapshot refers. */
        void discard();
    }

    /**
     * Runs a commit.
     *
     * @param path the table, for messages
     * @param maxBackoffMillis longest pause between two attempts
     * @throws LakeException {@code COMMIT_CONFLICT}, {@code FOREIGN_COMMIT}; {@code IO} if it did
     *     not get through
     */
    public static LakeSnapshot run(ObjectPath path, long maxBackoffMillis, Attempt attempt) {
        boolean certain = true;
        for (int number = 1; ; number++) {
            RuntimeException failure = null;
            try {
                attempt.run();
            } catch (RuntimeException e) {
                failure = e;
            }
            Optional<LakeSnapshot> committed = attempt.committed();
            if (committed.isPresent()) {
                return committed.get();
            }
            LakeException conflict = conflictIn(failure);
            if (conflict != null) {
                attempt.discard();
                throw conflict;
            }
            certain &= attempt.isCertain(failure);
            if (number == MAX_ATTEMPTS) {
                if (certain) {
                    attempt.discard();
                }
                throw gaveUp(path, failure, certain);
            }
            LOG.info(
                    "Commit to lake table {} did not get through (attempt {}), trying again",
                    path.getFullName(),
                    number,
                    failure);
            backOff(number, maxBackoffMillis);
        }
    }

    private static @Nullable LakeException conflictIn(@Nullable Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof LakeException lake
                    && (lake.reason() == Reason.COMMIT_CONFLICT
                            || lake.reason() == Reason.FOREIGN_COMMIT)) {
                return lake;
            }
        }
        return null;
    }

    private static LakeException gaveUp(
            ObjectPath path, @Nullable RuntimeException failure, boolean certain) {
        return new LakeException(
                Reason.IO,
                "commit to lake table "
                        + path.getFullName()
                        + " failed "
                        + MAX_ATTEMPTS
                        + " times"
                        + (failure == null ? "" : ", at last with: " + failure.getMessage())
                        + ". "
                        + (certain
                                ? "Nothing was committed; the next round tries again."
                                : "Its outcome is not certain, so its files are kept; the next round"
                                        + " starts from what the lake has then."),
                failure);
    }

    private static void backOff(int attempt, long maxBackoffMillis) {
        long limit = Math.min(maxBackoffMillis, 10L << Math.min(attempt, 10));
        LockSupport.parkNanos(
                TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextLong(1, limit + 1)));
    }
}
