package io.thermocline.hotserver;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The server's log file: a fresh one at every start, the last ones kept. */
final class ServerLog {

    private static final int KEPT = 3;

    private ServerLog() {}

    /** Sends standard output and error there. Loggers that follow standard output come along. */
    static void redirect(Path file) throws IOException {
        for (int number = KEPT - 1; number >= 0; number--) {
            Path from = number == 0 ? file : numbered(file, number);
            if (Files.exists(from)) {
                Files.move(from, numbered(file, number + 1), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        PrintStream log =
                new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8);
        System.setOut(log);
        System.setErr(log);
    }

    private static Path numbered(Path file, int number) {
        return file.resolveSibling(file.getFileName() + "." + number);
    }
}
