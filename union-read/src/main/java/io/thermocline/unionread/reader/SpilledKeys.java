package io.thermocline.unionread.reader;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One spill file of a {@link SpillableKeySet}: entries (hash, length, bytes) in unsigned order of
 * the upper half of the hash, in blocks. Reads may come from many threads.
 */
final class SpilledKeys {

    private static final Logger LOG = LoggerFactory.getLogger(SpilledKeys.class);

    private static final int BLOCK_ENTRIES = 128;
    private static final int BLOOM_BITS_PER_KEY = 10;
    private static final int BLOOM_PROBES = 7;
    private static final int BUFFER_BYTES = 64 << 10;

    private final Path file;
    private final FileChannel channel;
    private final long[] bloom;

    /** Hash of the first entry of each block. */
    private final int[] blockHashes;

    /** Where each block starts; one more for the end of the file. */
    private final long[] blockPositions;

    private SpilledKeys(
            Path file, FileChannel channel, long[] bloom, int[] blockHashes, long[] positions) {
        this.file = file;
        this.channel = channel;
        this.bloom = bloom;
        this.blockHashes = blockHashes;
        this.blockPositions = positions;
    }

    static Writer write(Path directory, int keyCount) {
        return new Writer(directory, keyCount);
    }

    boolean contains(long hash, byte[] key) {
        if (!mayContain(hash)) {
            return false;
        }
        int wanted = (int) (hash >>> 32);
        for (int block = firstBlock(wanted); block < blockHashes.length; block++) {
            if (Integer.compareUnsigned(blockHashes[block], wanted) > 0) {
                return false;
            }
            if (isInBlock(readBlock(block), wanted, key)) {
                return true;
            }
        }
        return false;
    }

    void close() {
        try {
            channel.close();
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("Could not delete spill file {}; it can be deleted by hand", file, e);
        }
    }

    private static boolean isInBlock(ByteBuffer block, int wanted, byte[] key) {
        while (block.hasRemaining()) {
            int hash = block.getInt();
            int length = block.getInt();
            int start = block.position();
            if (hash == wanted
                    && length == key.length
                    && Arrays.equals(block.array(), start, start + length, key, 0, length)) {
                return true;
            }
            block.position(start + length);
        }
        return false;
    }

    /** First block that can hold the hash: entries of one hash may begin at the end of a block. */
    private int firstBlock(int wanted) {
        int low = 0;
        int high = blockHashes.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Integer.compareUnsigned(blockHashes[middle], wanted) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return Math.max(0, low - 1);
    }

    private ByteBuffer readBlock(int block) {
        long position = blockPositions[block];
        ByteBuffer buffer =
                ByteBuffer.allocate(Math.toIntExact(blockPositions[block + 1] - position));
        try {
            while (buffer.hasRemaining()) {
                int read = channel.read(buffer, position + buffer.position());
                if (read < 0) {
                    throw new EOFException("ends at " + (position + buffer.position()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read spill file " + file, e);
        }
        return buffer.flip();
    }

    private boolean mayContain(long hash) {
        long bits = (long) bloom.length * Long.SIZE;
        for (int probe = 0; probe < BLOOM_PROBES; probe++) {
            long bit = bloomBit(hash, probe, bits);
            if ((bloom[(int) (bit >>> 6)] & (1L << bit)) == 0) {
                return false;
            }
        }
        return true;
    }

    private static long bloomBit(long hash, int probe, long bits) {
        long step = (hash >>> 17) | 1;
        return Long.remainderUnsigned(hash + probe * step, bits);
    }

    /** Writes a spill file; closing it before {@link #finish()} deletes the file. */
    static final class Writer implements AutoCloseable {

        private final Path file;
        private final DataOutputStream out;
        private final long[] bloom;
        private final int[] blockHashes;
        private final long[] blockPositions;
        private long position;
        private int count;
        private boolean finished;

        private Writer(Path directory, int keyCount) {
            int blocks = (keyCount + BLOCK_ENTRIES - 1) / BLOCK_ENTRIES;
            bloom = new long[Math.toIntExact((long) keyCount * BLOOM_BITS_PER_KEY / Long.SIZE + 1)];
            blockHashes = new int[blocks];
            blockPositions = new long[blocks + 1];
            try {
                Files.createDirectories(directory);
                file = Files.createTempFile(directory, "keys-", ".spill");
                out =
                        new DataOutputStream(
                                new BufferedOutputStream(
                                        Files.newOutputStream(file), BUFFER_BYTES));
            } catch (IOException e) {
                throw new UncheckedIOException(
                        "cannot create a spill file in " + directory + "; check space and rights",
                        e);
            }
        }

        void add(byte[] bytes, int from, int length) {
            long hash = KeyHash.hash(bytes, from, length);
            int upper = (int) (hash >>> 32);
            if (count % BLOCK_ENTRIES == 0) {
                blockHashes[count / BLOCK_ENTRIES] = upper;
                blockPositions[count / BLOCK_ENTRIES] = position;
            }
            long bits = (long) bloom.length * Long.SIZE;
            for (int probe = 0; probe < BLOOM_PROBES; probe++) {
                long bit = bloomBit(hash, probe, bits);
                bloom[(int) (bit >>> 6)] |= 1L << bit;
            }
            try {
                out.writeInt(upper);
                out.writeInt(length);
                out.write(bytes, from, length);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write spill file " + file, e);
            }
            position += 2L * Integer.BYTES + length;
            count++;
        }

        SpilledKeys finish() {
            try {
                out.close();
                blockPositions[blockPositions.length - 1] = position;
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                finished = true;
                return new SpilledKeys(file, channel, bloom, blockHashes, blockPositions);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write spill file " + file, e);
            }
        }

        @Override
        public void close() {
            if (!finished) {
                try {
                    out.close();
                    Files.deleteIfExists(file);
                } catch (IOException e) {
                    LOG.warn("Could not delete spill file {}", file, e);
                }
            }
        }
    }
}
