package io.thermocline.hotstore.local.segment;

import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.local.file.SharedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * A finished file of one bucket's changelog.
 *
 * @param description what the manifest says of it
 * @param file for reading
 * @param groups its groups in offset order
 */
public record Segment(SegmentDescription description, SharedFile file, List<GroupPlace> groups) {

    public Segment {
        groups = List.copyOf(groups);
    }

    /**
     * Opens a segment that a manifest lists.
     *
     * @param directory of the bucket's segments
     * @throws HotStoreException {@code CORRUPT_CHANGELOG}, {@code UNSUPPORTED_FORMAT_VERSION}
     */
    public static Segment open(
            Path directory, SegmentDescription description, UUID tableId, int bucket) {
        Path path = directory.resolve(description.name());
        SharedFile file;
        try {
            file = SharedFile.open(path);
        } catch (IOException e) {
            throw SegmentFormat.corrupt(path, 0, "it cannot be opened: " + e);
        }
        try {
            return new Segment(
                    description,
                    file,
                    SegmentFormat.readGroups(file, description, tableId, bucket));
        } catch (IOException e) {
            file.release();
            throw SegmentFormat.corrupt(path, 0, "it cannot be read: " + e);
        } catch (RuntimeException e) {
            file.release();
            throw e;
        }
    }

    /** Takes it away once no reader needs it any more. */
    public void delete() {
        file.deleteWhenUnused();
        file.release();
    }
}
