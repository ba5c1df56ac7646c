package io.thermocline.hotserver.launch;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The RocksDB that a server runs with. It travels as a nested jar, because a Flink process must not
 * see its classes beside Flink's own build of RocksDB; a server has it first on its class path.
 */
final class RocksDbJar {

    private static final String RESOURCE = "META-INF/thermocline/rocksdbjni.jar";

    private RocksDbJar() {}

    /**
     * Unpacks the jar into a directory unless it is there.
     *
     * @return empty if this build does not carry it; the class path then has to
     */
    static Optional<Path> extract(Path directory) throws IOException {
        @Nullable URL resource = RocksDbJar.class.getClassLoader().getResource(RESOURCE);
        if (resource == null) {
            return Optional.empty();
        }
        URLConnection connection = resource.openConnection();
        connection.setUseCaches(false);
        try (InputStream content = connection.getInputStream()) {
            // the length tells releases apart
            Path jar =
                    directory.resolve("rocksdbjni-" + connection.getContentLengthLong() + ".jar");
            if (!Files.exists(jar)) {
                Files.createDirectories(directory);
                Path fresh = Files.createTempFile(directory, "rocksdbjni", ".tmp");
                try {
                    Files.copy(content, fresh, StandardCopyOption.REPLACE_EXISTING);
                    Files.move(fresh, jar, StandardCopyOption.ATOMIC_MOVE);
                } finally {
                    Files.deleteIfExists(fresh);
                }
            }
            return Optional.of(jar);
        }
    }
}
