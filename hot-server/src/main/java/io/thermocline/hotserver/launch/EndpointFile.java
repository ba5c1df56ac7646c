package io.thermocline.hotserver.launch;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.flight.Endpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The file in the hot directory by which a running server is found. It holds the token, so only its
 * owner may read it. It is there exactly while the server takes calls; after a crash it is stale.
 */
public final class EndpointFile {

    private static final String NAME = "endpoint.json";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;

    public EndpointFile(Path hotDirectory) {
        this.file = hotDirectory.resolve(NAME);
    }

    /**
     * What the file says.
     *
     * @throws HotStoreException {@code AUTHENTICATION_FAILED} if another user's server owns it
     */
    public Optional<Endpoint> read() {
        try {
            return Optional.of(JSON.readValue(Files.readAllBytes(file), Endpoint.class));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (java.nio.file.AccessDeniedException e) {
            throw new HotStoreException(
                    ErrorCode.AUTHENTICATION_FAILED,
                    "the endpoint file "
                            + file
                            + " may only be read by the user who started the server. Run as that"
                            + " user, or set "
                            + EngineOptions.ADDRESS
                            + " and "
                            + EngineOptions.TOKEN);
        } catch (IOException e) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "the endpoint file "
                            + file
                            + " cannot be read: "
                            + e
                            + ". Check server.hot-directory");
        }
    }

    /** Puts the file in place, whole. */
    public void write(Endpoint endpoint) throws IOException {
        Path fresh = file.resolveSibling(NAME + "." + endpoint.pid() + ".tmp");
        Files.deleteIfExists(fresh);
        try (SeekableByteChannel channel =
                Files.newByteChannel(
                        fresh,
                        EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        ownerOnly())) {
            ByteBuffer content = ByteBuffer.wrap(JSON.writeValueAsBytes(endpoint));
            while (content.hasRemaining()) {
                channel.write(content);
            }
        }
        Files.move(
                fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    public void delete() throws IOException {
        Files.deleteIfExists(file);
    }

    public Path path() {
        return file;
    }

    private static FileAttribute<?>[] ownerOnly() {
        Set<String> views = FileSystems.getDefault().supportedFileAttributeViews();
        return views.contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }
}
