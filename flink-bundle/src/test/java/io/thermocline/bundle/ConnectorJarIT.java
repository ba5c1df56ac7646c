package io.thermocline.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is in the connector jar, what is not, and that its relocated parts work together. */
class ConnectorJarIT {

    private static final Path JAR = Path.of(System.getProperty("connector.jar"));

    private static JarFile jar;

    @BeforeAll
    static void open() throws IOException {
        jar = new JarFile(JAR.toFile());
    }

    @AfterAll
    static void close() throws IOException {
        jar.close();
    }

    @Test
    void classesAreOursRelocatedOrZstd() {
        Set<String> foreign = new TreeSet<>();
        for (String name : names()) {
            if (name.endsWith(".class")
                    && !name.startsWith("io/thermocline/")
                    && !name.startsWith("com/github/luben/zstd/")) {
                foreign.add(name);
            }
        }
        assertThat(foreign).isEmpty();
    }

    @Test
    void whatTheUserBringsIsNotRelocatedInEither() {
        assertThat(names())
                .noneMatch(n -> n.startsWith("io/thermocline/shaded/org/rocksdb/"))
                .noneMatch(n -> n.startsWith("io/thermocline/shaded/org/apache/flink/"))
                .noneMatch(n -> n.startsWith("io/thermocline/shaded/org/apache/paimon/"))
                .noneMatch(n -> n.startsWith("io/thermocline/shaded/org/apache/iceberg/"))
                .noneMatch(n -> n.startsWith("io/thermocline/shaded/org/slf4j/"));
    }

    @Test
    void theJarHoldsEveryModule() {
        Set<String> packages =
                names().stream()
                        .filter(n -> n.startsWith("io/thermocline/") && n.endsWith(".class"))
                        .map(n -> n.split("/")[2])
                        .collect(Collectors.toSet());
        assertThat(packages)
                .contains("hotstore", "hotserver", "lake", "unionread", "catalog", "shaded");
    }

    @Test
    void noSignatureOrNativeTransportIsLeft() {
        assertThat(names())
                .noneMatch(n -> n.matches("META-INF/[^/]*\\.(SF|DSA|RSA)"))
                .noneMatch(n -> n.startsWith("META-INF/native/"));
    }

    @Test
    void serverProcessFindsItsRocksDbInside() throws IOException {
        JarEntry nested = jar.getJarEntry("META-INF/thermocline/rocksdbjni.jar");
        assertThat(nested).isNotNull();
        assertThat(jar.getInputStream(nested).readNBytes(2)).containsExactly('P', 'K');
    }

    @Test
    void everyServiceFileNamesClassesOfTheJar() throws IOException {
        List<String> services =
                names().stream().filter(n -> n.matches("META-INF/services/[^/]+")).toList();
        assertThat(services).contains("META-INF/services/org.apache.flink.table.factories.Factory");
        for (String service : services) {
            for (String provider : lines(service)) {
                assertThat(names())
                        .as("provider in %s", service)
                        .contains(provider.replace('.', '/') + ".class");
            }
        }
    }

    @Test
    void relocatedFlightStreamsRowsInAPlainJvm(@TempDir Path dir) throws Exception {
        Path source = dir.resolve("FlightRoundTrip.java");
        try (InputStream in = getClass().getResourceAsStream("/FlightRoundTrip.java.txt")) {
            Files.copy(in, source);
        }
        String classPath = JAR + File.pathSeparator + dir + File.pathSeparator + slf4j();
        int compiled =
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-cp", classPath, source.toString());
        assertThat(compiled).isZero();
        Path out = dir.resolve("out");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                                "-cp",
                                classPath,
                                "FlightRoundTrip")
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile())
                        .start();
        boolean ended = process.waitFor(3, TimeUnit.MINUTES);
        process.destroyForcibly();
        String output = Files.readString(out);
        assertThat(ended).as(output).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        assertThat(output).contains("sum 303");
    }

    private static List<String> names() {
        return jar.stream().map(JarEntry::getName).toList();
    }

    private static List<String> lines(String entry) throws IOException {
        try (InputStream in = jar.getInputStream(jar.getJarEntry(entry))) {
            List<String> result = new ArrayList<>();
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.replaceFirst("#.*", "").strip())
                    .filter(line -> !line.isEmpty())
                    .forEach(result::add);
            return result;
        }
    }

    private static String slf4j() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(p -> p.contains("slf4j-api"))
                .findFirst()
                .orElseThrow();
    }
}
