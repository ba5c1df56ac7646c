package io.thermocline.lake.paimon;

import io.thermocline.lake.WarehouseFiles;
import io.thermocline.lake.local.LocalFiles;
import io.thermocline.lake.local.LocalWarehouseFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.Optional;
import java.util.UUID;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.SeekableInputStream;
import org.apache.paimon.utils.IOUtils;

/**
 * Warehouse files through Paimon's file access. On a local file system {@link #createIfAbsent} is
 * atomic between processes. Elsewhere it is as atomic as the file system's rename; an object
 * store's is not.
 */
final class PaimonWarehouseFiles {

    private PaimonWarehouseFiles() {}

    static WarehouseFiles of(FileIO fileIO, Path warehouse) {
        Path directory = new Path(warehouse, WarehouseFiles.DIRECTORY);
        return LocalFiles.localPath(warehouse.toUri())
                .<WarehouseFiles>map(LocalWarehouseFiles::new)
                .orElseGet(() -> new Remote(fileIO, directory));
    }

    private record Remote(FileIO fileIO, Path directory) implements WarehouseFiles {

        @Override
        public Optional<byte[]> read(String name) throws IOException {
            try (SeekableInputStream in = fileIO.newInputStream(new Path(directory, name))) {
                return Optional.of(IOUtils.readFully(in, false));
            } catch (FileNotFoundException e) {
                return Optional.empty();
            }
        }

        @Override
        public boolean createIfAbsent(String name, byte[] content) throws IOException {
            Path target = new Path(directory, name);
            if (fileIO.exists(target)) {
                return false;
            }
            Path temporary = new Path(directory, "." + name + "." + UUID.randomUUID());
            write(temporary, content, false);
            try {
                return fileIO.rename(temporary, target);
            } catch (FileAlreadyExistsException e) {
                return false;
            } finally {
                fileIO.deleteQuietly(temporary);
            }
        }

        @Override
        public void replace(String name, byte[] content) throws IOException {
            write(new Path(directory, name), content, true);
        }

        private void write(Path path, byte[] content, boolean overwrite) throws IOException {
            try (PositionOutputStream out = fileIO.newOutputStream(path, overwrite)) {
                out.write(content);
            }
        }

        @Override
        public Optional<java.nio.file.Path> localDirectory() {
            return Optional.empty();
        }
    }
}
