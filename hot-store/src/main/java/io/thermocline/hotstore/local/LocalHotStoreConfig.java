package io.thermocline.hotstore.local;

import io.thermocline.hotstore.local.file.StorageFiles;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;

/**
 * Settings of a {@link LocalHotStore}.
 *
 * @param directory the hot directory, on a local file system
 * @param keyIndexMemoryBytes memory for the blocks and write buffers of all key indexes together
 * @param maxPendingBytes bytes of batches that may be under way; {@code append} waits beyond it
 * @param journalRollBytes a journal file is finished and re-encoded once it is this long
 * @param journalRollAge a journal file is finished once it is this old, however short
 * @param replayBytes a bucket's key index is flushed when a restart would have to replay this much
 *     of its changelog; groups of few rows count for more than they are long
 * @param maintenanceInterval time between two looks at retention, flushes, leases and idle views
 * @param files the disk
 * @param clock wall clock
 */
public record LocalHotStoreConfig(
        Path directory,
        long keyIndexMemoryBytes,
        long maxPendingBytes,
        long journalRollBytes,
        Duration journalRollAge,
        long replayBytes,
        Duration maintenanceInterval,
        StorageFiles files,
        Clock clock) {

    /** Defaults for everything but the directory. */
    public static LocalHotStoreConfig of(Path directory) {
        return new LocalHotStoreConfig(
                directory,
                256L << 20,
                128L << 20,
                64L << 20,
                Duration.ofMinutes(5),
                16L << 20,
                Duration.ofSeconds(5),
                StorageFiles.DISK,
                Clock.systemUTC());
    }

    /** Same settings with another {@link #keyIndexMemoryBytes()}. */
    public LocalHotStoreConfig withKeyIndexMemoryBytes(long bytes) {
        return new LocalHotStoreConfig(
                directory,
                bytes,
                maxPendingBytes,
                journalRollBytes,
                journalRollAge,
                replayBytes,
                maintenanceInterval,
                files,
                clock);
    }

    /** Same settings with other limits of a journal file. */
    public LocalHotStoreConfig withJournalRoll(long bytes, Duration age) {
        return new LocalHotStoreConfig(
                directory,
                keyIndexMemoryBytes,
                maxPendingBytes,
                bytes,
                age,
                replayBytes,
                maintenanceInterval,
                files,
                clock);
    }

    /** Same settings with another {@link #replayBytes()}. */
    public LocalHotStoreConfig withReplayBytes(long bytes) {
        return new LocalHotStoreConfig(
                directory,
                keyIndexMemoryBytes,
                maxPendingBytes,
                journalRollBytes,
                journalRollAge,
                bytes,
                maintenanceInterval,
                files,
                clock);
    }

    /** Same settings with another {@link #maintenanceInterval()}. */
    public LocalHotStoreConfig withMaintenanceInterval(Duration interval) {
        return new LocalHotStoreConfig(
                directory,
                keyIndexMemoryBytes,
                maxPendingBytes,
                journalRollBytes,
                journalRollAge,
                replayBytes,
                interval,
                files,
                clock);
    }

    /** Same settings on another disk and clock. */
    public LocalHotStoreConfig withFiles(StorageFiles otherFiles, Clock otherClock) {
        return new LocalHotStoreConfig(
                directory,
                keyIndexMemoryBytes,
                maxPendingBytes,
                journalRollBytes,
                journalRollAge,
                replayBytes,
                maintenanceInterval,
                otherFiles,
                otherClock);
    }
}
