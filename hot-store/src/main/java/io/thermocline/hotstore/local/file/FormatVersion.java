package io.thermocline.hotstore.local.file;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.nio.file.Path;

/** Every file of a store says in which version of its format it is. */
public final class FormatVersion {

    private FormatVersion() {}

    /**
     * Checks that a file can be read.
     *
     * @param file the file, or directory
     * @param format name of the format with a space behind it, for messages; may be empty
     * @param found version that the file has
     * @param readable version that is read here
     * @throws HotStoreException {@code UNSUPPORTED_FORMAT_VERSION}
     */
    public static void check(Path file, String format, int found, int readable) {
        if (found != readable) {
            throw new HotStoreException(
                    ErrorCode.UNSUPPORTED_FORMAT_VERSION,
                    file
                            + " has "
                            + format
                            + "format version "
                            + found
                            + ", this version reads "
                            + readable
                            + ". Open the store with the version that wrote it.");
        }
    }
}
