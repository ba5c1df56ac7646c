package io.thermocline.benchmarks.micro;

import io.thermocline.hotstore.local.file.AppendFile;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** The disk without waiting for it, so that a benchmark measures the store's own work. */
final class UnforcedFiles implements StorageFiles {

    @Override
    public AppendFile create(Path path) throws IOException {
        return new UnforcedFile(DISK.create(path));
    }

    @Override
    public AppendFile openAppend(Path path, long length) throws IOException {
        return new UnforcedFile(DISK.openAppend(path, length));
    }

    @Override
    public void force(FileChannel channel) {
        // Not durable.
    }

    @Override
    public void forceDirectory(Path directory) {
        // Not durable.
    }

    @Override
    public void replace(Path path, byte[] content) throws IOException {
        DISK.replace(path, content);
    }

    @Override
    public void install(Path temporary, Path path) throws IOException {
        DISK.install(temporary, path);
    }

    private record UnforcedFile(AppendFile file) implements AppendFile {

        @Override
        public void write(ByteBuffer[] buffers) throws IOException {
            file.write(buffers);
        }

        @Override
        public void force() {
            // Not durable.
        }

        @Override
        public void truncate(long length) throws IOException {
            file.truncate(length);
        }

        @Override
        public long position() {
            return file.position();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
