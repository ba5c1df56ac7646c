package io.thermocline.hotstore.local.journal;

import io.thermocline.hotstore.local.file.SharedFile;
import java.io.IOException;
import java.nio.file.Path;

/**
 * One file of the journal.
 *
 * @param sequence files are numbered from 0 without gaps
 * @param file for reading
 */
public record JournalFile(long sequence, SharedFile file) {

    private static final String SUFFIX = ".journal";

    static Path path(Path directory, long sequence) {
        return directory.resolve(String.format(java.util.Locale.ROOT, "%020d", sequence) + SUFFIX);
    }

    static boolean isJournal(Path path) {
        return path.getFileName().toString().matches("\\d{20}\\.journal");
    }

    static long sequenceOf(Path path) {
        String name = path.getFileName().toString();
        return Long.parseLong(name.substring(0, name.length() - SUFFIX.length()));
    }

    static JournalFile open(Path directory, long sequence) throws IOException {
        return new JournalFile(sequence, SharedFile.open(path(directory, sequence)));
    }

    /**
     * Takes it away unless a reader is in it. Files are to go in their order: a gap between those
     * that are left would look like a loss.
     *
     * @return whether it is gone
     */
    public boolean delete() throws IOException {
        return file.deleteIfUnused();
    }
}
