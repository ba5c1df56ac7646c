package io.thermocline.lake.iceberg;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.iceberg.Files;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * Files of this host without Hadoop, which starts a process for every file that it creates, and
 * keeps a second file of checksums beside each. Locations are kept as they are given. Public, since
 * Iceberg makes one by the name of its class where it reads metadata tables.
 */
public final class LocalFileIO implements FileIO {

    private static final long serialVersionUID = 1L;

    public LocalFileIO() {}

    /** There is nothing to configure. */
    @Override
    public Map<String, String> properties() {
        return Map.of();
    }

    private static File file(String location) {
        return new File(new org.apache.hadoop.fs.Path(location).toUri().getPath());
    }

    @Override
    public InputFile newInputFile(String location) {
        return new Input(location, Files.localInput(file(location)));
    }

    @Override
    public OutputFile newOutputFile(String location) {
        return new Output(location, Files.localOutput(file(location)));
    }

    @Override
    public void deleteFile(String location) {
        Path path = file(location).toPath();
        try {
            java.nio.file.Files.deleteIfExists(path);
        } catch (FileSystemException e) {
            throw new UncheckedIOException("cannot delete " + path + ": " + e.getReason(), e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + path, e);
        }
    }

    private record Input(String location, InputFile file) implements InputFile {

        @Override
        public long getLength() {
            return file.getLength();
        }

        @Override
        public SeekableInputStream newStream() {
            return file.newStream();
        }

        @Override
        public boolean exists() {
            return file.exists();
        }
    }

    private record Output(String location, OutputFile output) implements OutputFile {

        @Override
        public PositionOutputStream create() {
            createDirectory();
            return output.create();
        }

        @Override
        public PositionOutputStream createOrOverwrite() {
            createDirectory();
            return output.createOrOverwrite();
        }

        @Override
        public InputFile toInputFile() {
            return new Input(location, output.toInputFile());
        }

        /** Iceberg does it as well, but fails if another thread is faster. */
        private void createDirectory() {
            Path directory = file(location).toPath().getParent();
            try {
                java.nio.file.Files.createDirectories(directory);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot create directory " + directory, e);
            }
        }
    }
}
