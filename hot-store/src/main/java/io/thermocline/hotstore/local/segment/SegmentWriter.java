package io.thermocline.hotstore.local.segment;

import io.thermocline.hotstore.local.file.AppendFile;
import io.thermocline.hotstore.local.file.SharedFile;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/** Writes one segment under a temporary name and installs it when it is complete. */
final class SegmentWriter implements AutoCloseable {

    private static final String SUFFIX = ".segment";
    private static final String TEMPORARY_SUFFIX = ".tmp";

    private final StorageFiles files;
    private final Path directory;
    private final Path temporary;
    private final AppendFile output;
    private final List<GroupPlace> groups = new ArrayList<>();
    private boolean installed;

    SegmentWriter(StorageFiles files, Path directory, UUID tableId, int bucket, long baseOffset)
            throws IOException {
        this.files = files;
        this.directory = directory;
        files.createDirectories(directory);
        this.temporary = directory.resolve(number(baseOffset) + TEMPORARY_SUFFIX);
        this.output = files.create(temporary);
        try {
            output.write(new ByteBuffer[] {SegmentFormat.header(tableId, bucket)});
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private static String number(long offset) {
        return String.format(Locale.ROOT, "%020d", offset);
    }

    static boolean isSegment(SharedFile file) {
        return file.path().toString().endsWith(SUFFIX);
    }

    /** Adds an encoded group; {@code group} says what it holds, its place is not used. */
    void add(GroupPlace group, ByteBuffer[] bytes) throws IOException {
        long position = output.position();
        output.write(bytes);
        groups.add(
                new GroupPlace(
                        group.baseOffset(),
                        group.recordCount(),
                        group.minTimestamp(),
                        group.maxTimestamp(),
                        group.file(),
                        position,
                        Math.toIntExact(output.position() - position)));
    }

    /** Completes the file; it has its final name and is durable when this returns. */
    Segment install() throws IOException {
        output.write(new ByteBuffer[] {SegmentFormat.footer(groups)});
        output.force();
        long size = output.position();
        output.close();
        GroupPlace first = groups.get(0);
        GroupPlace last = groups.get(groups.size() - 1);
        // Segments are merged with neighbours, so the start alone would not be unique.
        String name = number(first.baseOffset()) + "-" + number(last.endOffset()) + SUFFIX;
        Path path = directory.resolve(name);
        files.install(temporary, path);
        installed = true;
        SharedFile file = SharedFile.open(path);
        List<GroupPlace> places = new ArrayList<>(groups.size());
        for (GroupPlace group : groups) {
            places.add(
                    new GroupPlace(
                            group.baseOffset(),
                            group.recordCount(),
                            group.minTimestamp(),
                            group.maxTimestamp(),
                            file,
                            group.position(),
                            group.length()));
        }
        SegmentDescription description =
                new SegmentDescription(
                        name,
                        first.baseOffset(),
                        last.endOffset(),
                        first.minTimestamp(),
                        last.maxTimestamp(),
                        size);
        return new Segment(description, file, places);
    }

    @Override
    public void close() throws IOException {
        if (!installed) {
            output.close();
            Files.deleteIfExists(temporary);
        }
    }
}
