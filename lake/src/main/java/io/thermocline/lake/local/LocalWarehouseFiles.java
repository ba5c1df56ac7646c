package io.thermocline.lake.local;

import io.thermocline.lake.WarehouseFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Warehouse files on this host's file system; creating one is atomic between processes.
 *
 * @param warehouse the warehouse's directory
 */
public record LocalWarehouseFiles(Path warehouse) implements WarehouseFiles {

    private Path file(String name) {
        return warehouse.resolve(DIRECTORY).resolve(name);
    }

    @Override
    public Optional<byte[]> read(String name) throws IOException {
        try {
            return Optional.of(Files.readAllBytes(file(name)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public boolean createIfAbsent(String name, byte[] content) throws IOException {
        return LocalFiles.createIfAbsent(file(name), content);
    }

    @Override
    public void replace(String name, byte[] content) throws IOException {
        LocalFiles.replace(file(name), content);
    }

    @Override
    public Optional<Path> localDirectory() {
        return Optional.of(warehouse);
    }
}
