package io.thermocline.lake.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalFilesTest {

    private static final int FILES = 200;

    @TempDir private Path directory;

    @Test
    void twoProcessesNeverCreateTheSameFile() throws Exception {
        Path go = directory.resolve("go");
        Process first = start("first", go);
        Process second = start("second", go);
        Files.createFile(go);
        List<String> winsOfFirst = lines(first);
        List<String> winsOfSecond = lines(second);

        assertThat(first.waitFor()).isZero();
        assertThat(second.waitFor()).isZero();
        List<String> all = new ArrayList<>(winsOfFirst);
        all.addAll(winsOfSecond);
        assertThat(all).hasSize(FILES).doesNotHaveDuplicates();
        for (String file : winsOfFirst) {
            assertThat(directory.resolve("files").resolve(file)).hasContent("first");
        }
        try (Stream<Path> left = Files.list(directory.resolve("files"))) {
            assertThat(left).hasSize(FILES);
        }
    }

    private Process start(String name, Path go) throws IOException {
        return new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Creator.class.getName(),
                        directory.resolve("files").toString(),
                        name,
                        go.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static List<String> lines(Process process) throws IOException {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return output.lines().toList();
    }

    /** Creates files as soon as it may and prints those that it created. */
    static final class Creator {

        private Creator() {}

        public static void main(String[] arguments) throws Exception {
            Path files = Path.of(arguments[0]);
            Path go = Path.of(arguments[2]);
            while (Files.notExists(go)) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < FILES; i++) {
                byte[] content = arguments[1].getBytes(StandardCharsets.UTF_8);
                if (LocalFiles.createIfAbsent(files.resolve("file-" + i), content)) {
                    System.out.println("file-" + i);
                }
            }
        }
    }
}
