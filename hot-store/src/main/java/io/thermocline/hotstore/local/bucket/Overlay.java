package io.thermocline.hotstore.local.bucket;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Changes that are applied but not yet in the key index. Written by the thread that applies, shrunk
 * by the thread that publishes: a change leaves only after the key index has it, so that whoever
 * looks here first and into the key index second never misses it.
 */
final class Overlay {

    private final ConcurrentHashMap<KeyBytes, Change> changes = new ConcurrentHashMap<>();

    /**
     * The latest pending change of a key.
     *
     * @param key encoded primary key
     * @param value stored row; null if the key was deleted
     */
    record Change(KeyBytes key, byte @Nullable [] value) {

        // Each change is itself, even when another one leads to the same row.
        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    @Nullable Change get(KeyBytes key) {
        return changes.get(key);
    }

    boolean isEmpty() {
        return changes.isEmpty();
    }

    void put(Change change) {
        changes.put(change.key(), change);
    }

    /** Drops a change that the key index has now, unless a later one took its place. */
    void published(Change change) {
        changes.remove(change.key(), change);
    }

    void clear() {
        changes.clear();
    }
}
