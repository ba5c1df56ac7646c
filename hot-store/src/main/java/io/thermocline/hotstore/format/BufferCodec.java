package io.thermocline.hotstore.format;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;

/**
 * Stores and restores single buffers. A buffer is compressed if and only if its stored length is
 * below its raw length. All byte buffers are direct.
 */
final class BufferCodec {

    private static final int LEVEL = 1;

    /** Below this, compression saves less than it costs. */
    private static final int MIN_COMPRESSED_BYTES = 128;

    // Contexts are expensive to make and not thread-safe.
    private static final ThreadLocal<ZstdCompressCtx> COMPRESSOR =
            ThreadLocal.withInitial(() -> new ZstdCompressCtx().setLevel(LEVEL));
    private static final ThreadLocal<ZstdDecompressCtx> DECOMPRESSOR =
            ThreadLocal.withInitial(ZstdDecompressCtx::new);

    private BufferCodec() {}

    /** Room that {@link #store} needs for a buffer. */
    static long storeBound(long rawBytes, Compression compression) {
        return compression == Compression.NONE ? rawBytes : Zstd.compressBound(rawBytes);
    }

    /** Appends {@code raw} to {@code target}, compressed if that makes it smaller. */
    static int store(ByteBuffer raw, ByteBuffer target, Compression compression) {
        int rawBytes = raw.remaining();
        if (compression == Compression.ZSTD && rawBytes >= MIN_COMPRESSED_BYTES) {
            int stored =
                    COMPRESSOR
                            .get()
                            .compressDirectByteBuffer(
                                    target,
                                    target.position(),
                                    target.remaining(),
                                    raw,
                                    raw.position(),
                                    rawBytes);
            if (stored < rawBytes) {
                target.position(target.position() + stored);
                return stored;
            }
        }
        target.put(raw.duplicate());
        return rawBytes;
    }

    /** Fills {@code target} with the decompressed bytes of {@code stored}. */
    static void decompress(ByteBuffer stored, ByteBuffer target, String where) {
        try {
            int bytes =
                    DECOMPRESSOR
                            .get()
                            .decompressDirectByteBuffer(
                                    target,
                                    target.position(),
                                    target.remaining(),
                                    stored,
                                    stored.position(),
                                    stored.remaining());
            if (bytes != target.remaining()) {
                throw FrameFormat.corrupt(
                        where, "a buffer has " + bytes + " bytes instead of " + target.remaining());
            }
        } catch (ZstdException e) {
            throw FrameFormat.corrupt(where, "a buffer cannot be decompressed: " + e.getMessage());
        }
    }
}
