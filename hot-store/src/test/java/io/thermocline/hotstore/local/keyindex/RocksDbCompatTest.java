package io.thermocline.hotstore.local.keyindex;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.local.ChildJvm;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A key index written with one of rocksdbjni and frocksdbjni is read with the other. */
class RocksDbCompatTest {

    private static final int KEYS = 5000;

    @TempDir private Path directory;

    /** Writes or checks a key index, in a JVM with either library. */
    static final class Worker {

        private Worker() {}

        public static void main(String[] arguments) {
            try (KeyIndexMemory memory = new KeyIndexMemory(8 << 20);
                    KeyIndex index = KeyIndex.open(Path.of(arguments[1]), memory)) {
                long applied = index.appliedOffset();
                if (arguments[0].equals("write")) {
                    write(index, applied);
                } else {
                    check(index, applied);
                }
            }
            System.out.println("done");
        }

        private static void write(KeyIndex index, long applied) {
            for (int i = 0; i < KEYS; i++) {
                KeyIndexTest.put(index, applied + i + 1, "key-" + i, "value-" + (applied + i));
                if (i == KEYS / 2) {
                    index.flush();
                }
            }
        }

        private static void check(KeyIndex index, long applied) {
            for (int i = 0; i < KEYS; i++) {
                String expected = "value-" + (applied - KEYS + i);
                byte[] value = index.get(KeyIndexTest.bytes("key-" + i));
                if (value == null || !expected.equals(new String(value, StandardCharsets.UTF_8))) {
                    throw new IllegalStateException("key-" + i + " is not " + expected);
                }
            }
        }
    }

    @Test
    void eitherLibraryReadsWhatTheOtherWrote() throws Exception {
        String jar = System.getProperty("thermocline.frocksdb.jar");
        assertThat(jar)
                .as("path of frocksdbjni, which the build passes in thermocline.frocksdb.jar")
                .isNotNull();
        assertThat(Path.of(jar)).isRegularFile();
        String own = ChildJvm.classPath();
        String other = ChildJvm.classPathWithRocksDb(Path.of(jar));
        run(own, "write");
        run(other, "check");
        run(other, "write");
        run(own, "check");
    }

    private void run(String classPath, String what) throws Exception {
        Process child = ChildJvm.start(classPath, Worker.class, what, directory.toString());
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor()).as(what).isZero();
        assertThat(output).as(what).contains("done");
    }
}
