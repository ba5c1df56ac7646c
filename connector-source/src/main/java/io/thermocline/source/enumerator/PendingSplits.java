package io.thermocline.source.enumerator;

import io.thermocline.source.split.ThermoclineSplit;
import io.thermocline.unionread.plan.ReadStep;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Splits that were not handed out. Splits that tail a changelog belong to the reader {@code bucket
 * mod parallelism}; all others go to whoever asks, if possible of the bucket that the reader had
 * last, because it holds the keys of that bucket's tail. Confined to the coordinator thread.
 */
final class PendingSplits {

    private final Deque<ThermoclineSplit> bounded = new ArrayDeque<>();
    private final List<ThermoclineSplit> unbounded = new ArrayList<>();
    private final Map<Integer, Integer> lastBuckets = new HashMap<>();

    void add(List<ThermoclineSplit> splits) {
        for (ThermoclineSplit split : splits) {
            if (split.unit().isUnbounded()) {
                unbounded.add(split);
            } else {
                bounded.addLast(split);
            }
        }
    }

    /** Splits that come back from a reader: they are handed out before others, in their order. */
    void addBack(List<ThermoclineSplit> splits) {
        for (int i = splits.size() - 1; i >= 0; i--) {
            if (splits.get(i).unit().isUnbounded()) {
                unbounded.add(splits.get(i));
            } else {
                bounded.addFirst(splits.get(i));
            }
        }
    }

    boolean hasBounded() {
        return !bounded.isEmpty();
    }

    int size() {
        return bounded.size() + unbounded.size();
    }

    /** The next bounded split for a reader; null if there is none. */
    @Nullable ThermoclineSplit takeBounded(int reader) {
        ThermoclineSplit split = takeOfBucket(lastBuckets.get(reader));
        if (split == null) {
            split = bounded.pollFirst();
        }
        if (split != null) {
            lastBuckets.put(reader, split.unit().bucket());
        }
        return split;
    }

    /** All unbounded splits that belong to a reader. */
    List<ThermoclineSplit> takeUnbounded(int reader, int parallelism) {
        List<ThermoclineSplit> taken = new ArrayList<>();
        for (Iterator<ThermoclineSplit> all = unbounded.iterator(); all.hasNext(); ) {
            ThermoclineSplit split = all.next();
            if (split.unit().bucket() % parallelism == reader) {
                taken.add(split);
                all.remove();
            }
        }
        return taken;
    }

    List<ThermoclineSplit> all() {
        List<ThermoclineSplit> all = new ArrayList<>(bounded);
        all.addAll(unbounded);
        return all;
    }

    private @Nullable ThermoclineSplit takeOfBucket(@Nullable Integer bucket) {
        if (bucket == null || bucket == ReadStep.ANY_BUCKET) {
            return null;
        }
        for (Iterator<ThermoclineSplit> all = bounded.iterator(); all.hasNext(); ) {
            ThermoclineSplit split = all.next();
            if (split.unit().bucket() == bucket) {
                all.remove();
                return split;
            }
        }
        return null;
    }
}
