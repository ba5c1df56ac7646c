package io.thermocline.hotstore.local.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** {@link StorageFiles} on the local disk. */
final class DiskFiles implements StorageFiles {

    private static final String TEMPORARY_SUFFIX = ".tmp";

    @Override
    public AppendFile create(Path path) throws IOException {
        return new ChannelFile(
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE),
                0);
    }

    @Override
    public AppendFile openAppend(Path path, long length) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE);
        try {
            ChannelFile file = new ChannelFile(channel, channel.size());
            file.truncate(length);
            return file;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public void force(FileChannel channel) throws IOException {
        channel.force(false);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public void replace(Path path, byte[] content) throws IOException {
        Path temporary = path.resolveSibling(path.getFileName() + TEMPORARY_SUFFIX);
        try (AppendFile file = create(temporary)) {
            file.write(new ByteBuffer[] {ByteBuffer.wrap(content)});
            file.force();
        }
        install(temporary, path);
    }

    @Override
    public void install(Path temporary, Path path) throws IOException {
        Files.move(
                temporary,
                path,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        forceDirectory(path.getParent());
    }

    private static final class ChannelFile implements AppendFile {

        private final FileChannel channel;
        private long position;

        private ChannelFile(FileChannel channel, long position) {
            this.channel = channel;
            this.position = position;
        }

        @Override
        public void write(ByteBuffer[] buffers) throws IOException {
            int first = 0;
            while (first < buffers.length) {
                if (!buffers[first].hasRemaining()) {
                    first++;
                    continue;
                }
                position += channel.write(buffers, first, buffers.length - first);
            }
        }

        @Override
        public void force() throws IOException {
            channel.force(false);
        }

        @Override
        public void truncate(long length) throws IOException {
            channel.truncate(length);
            channel.position(length);
            position = length;
        }

        @Override
        public long position() {
            return position;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
