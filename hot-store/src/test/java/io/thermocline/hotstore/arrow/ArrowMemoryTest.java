package io.thermocline.hotstore.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArrowMemoryTest {

    /** Run in a JVM of its own. */
    public static final class Probe {

        public static void main(String[] arguments) {
            try {
                System.out.println("limit " + ArrowMemory.root().getLimit());
            } catch (RuntimeException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    private static String run(String... jvmOptions) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java));
        command.addAll(List.of(jvmOptions));
        String classPath = System.getProperty("java.class.path");
        command.addAll(List.of("-cp", classPath, Probe.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    @Test
    void aMissingJvmOptionIsNamed() throws Exception {
        assertThat(run())
                .contains("JVM_OPTION_MISSING: Arrow cannot access the memory of this JVM")
                .contains("--add-opens=java.base/java.nio=ALL-UNNAMED");
    }

    @Test
    void theLimitIsAProperty() throws Exception {
        assertThat(
                        run(
                                ArrowMemory.REQUIRED_JVM_OPTION,
                                "-D" + ArrowMemory.LIMIT_PROPERTY + "=12345678"))
                .contains("limit 12345678");
        assertThat(
                        run(
                                ArrowMemory.REQUIRED_JVM_OPTION,
                                "-D" + ArrowMemory.LIMIT_PROPERTY + "=lots"))
                .contains(
                        "system property thermocline.arrow.max-bytes is 'lots'; it must be a"
                                + " positive number of bytes");
    }
}
