package io.thermocline.lake.iceberg;

import io.thermocline.lake.WarehouseFiles;
import io.thermocline.lake.local.LocalWarehouseFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;

/**
 * Warehouse files through Iceberg's file access. On a local file system {@link #createIfAbsent} is
 * atomic between processes. Elsewhere it is as atomic as the file access; that of an object store
 * may not be.
 *
 * @param files the file access
 * @param directory URI of the files' directory
 */
record IcebergWarehouseFiles(FileIO files, String directory) implements WarehouseFiles {

    static WarehouseFiles of(CatalogAccess access, String warehouse, FileIO files) {
        String root =
                warehouse.endsWith("/")
                        ? warehouse.substring(0, warehouse.length() - 1)
                        : warehouse;
        return access.localDirectory()
                .<WarehouseFiles>map(LocalWarehouseFiles::new)
                .orElseGet(() -> new IcebergWarehouseFiles(files, root + "/" + DIRECTORY));
    }

    private String location(String name) {
        return directory + "/" + name;
    }

    @Override
    public Optional<byte[]> read(String name) throws IOException {
        try (InputStream in = files.newInputFile(location(name)).newStream()) {
            return Optional.of(in.readAllBytes());
        } catch (NotFoundException e) {
            return Optional.empty();
        }
    }

    @Override
    public boolean createIfAbsent(String name, byte[] content) throws IOException {
        try (OutputStream out = files.newOutputFile(location(name)).create()) {
            out.write(content);
            return true;
        } catch (AlreadyExistsException e) {
            return false;
        }
    }

    @Override
    public void replace(String name, byte[] content) throws IOException {
        try (OutputStream out = files.newOutputFile(location(name)).createOrOverwrite()) {
            out.write(content);
        }
    }

    @Override
    public Optional<java.nio.file.Path> localDirectory() {
        return Optional.empty();
    }
}
