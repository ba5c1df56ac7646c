package io.thermocline.hotstore.local.segment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * All frame groups of a bucket's changelog by offset. Thread-safe: one thread appends, one replaces
 * or trims, any number read. While a range is replaced, a reader may find a record in its old or
 * its new group; both hold the same.
 */
public final class GroupIndex {

    private final ConcurrentSkipListMap<Long, GroupPlace> groups = new ConcurrentSkipListMap<>();

    /** Adds the group that follows the last one. */
    public void append(GroupPlace group) {
        groups.put(group.baseOffset(), group);
    }

    /** The group that holds a record; null if there is none. */
    public @Nullable GroupPlace find(long offset) {
        Map.Entry<Long, GroupPlace> entry = groups.floorEntry(offset);
        return entry == null || entry.getValue().endOffset() <= offset ? null : entry.getValue();
    }

    /**
     * The groups that have records in a range, in offset order. For the thread that replaces
     * groups: another one could see old and new groups mixed.
     */
    public List<GroupPlace> range(long from, long to) {
        List<GroupPlace> range = new ArrayList<>();
        long offset = from;
        while (offset < to) {
            GroupPlace group = find(offset);
            if (group == null) {
                return range;
            }
            range.add(group);
            offset = group.endOffset();
        }
        return range;
    }

    /**
     * Puts groups in the place of those that hold the same records.
     *
     * @param replacements in offset order, without gaps
     */
    public void replace(List<GroupPlace> replacements) {
        // From the last to the first: what lies before the present one is still found in old
        // groups,
        // what lies behind it in new ones.
        for (int i = replacements.size() - 1; i >= 0; i--) {
            GroupPlace replacement = replacements.get(i);
            groups.put(replacement.baseOffset(), replacement);
            groups.subMap(replacement.baseOffset(), false, replacement.endOffset(), false).clear();
        }
    }

    /** Forgets everything below an offset that is the start of a group. */
    public void trim(long startOffset) {
        groups.headMap(startOffset).clear();
    }

    public boolean isEmpty() {
        return groups.isEmpty();
    }

    /** Bytes of all groups. */
    public long sizeBytes() {
        long bytes = 0;
        for (GroupPlace group : groups.values()) {
            bytes += group.length();
        }
        return bytes;
    }

    /** First group, in offset order, whose highest commit timestamp is at or after a timestamp. */
    public @Nullable GroupPlace firstAtOrAfter(long timestamp) {
        Map.Entry<Long, GroupPlace> last = groups.lastEntry();
        if (last == null || last.getValue().maxTimestamp() < timestamp) {
            return null;
        }
        Map.Entry<Long, GroupPlace> first = groups.firstEntry();
        // Timestamps never decrease along offsets: halve the offsets in which it starts.
        GroupPlace found = last.getValue();
        long low = first == null ? found.baseOffset() : first.getKey();
        while (low < found.baseOffset()) {
            long middle = low + (found.baseOffset() - low) / 2;
            GroupPlace group = find(middle);
            if (group == null || group.maxTimestamp() < timestamp) {
                // Nothing is there if the changelog was trimmed just now.
                low = group == null ? middle + 1 : group.endOffset();
            } else {
                found = group;
            }
        }
        return found;
    }
}
