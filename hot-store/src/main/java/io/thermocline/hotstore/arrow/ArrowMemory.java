package io.thermocline.hotstore.arrow;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The Arrow memory of this process: one root allocator with a limit, from which every component
 * takes a named child. Thread-safe.
 */
public final class ArrowMemory {

    /**
     * System property with the limit in bytes; default: the JVM's maximum heap, at least 256 MiB.
     */
    public static final String LIMIT_PROPERTY = "thermocline.arrow.max-bytes";

    /** The JVM option that Arrow needs. */
    public static final String REQUIRED_JVM_OPTION = "--add-opens=java.base/java.nio=ALL-UNNAMED";

    private static final long MIN_DEFAULT_LIMIT_BYTES = 256L << 20;

    private static @Nullable BufferAllocator root;

    private ArrowMemory() {}

    /**
     * The root allocator of this process. Never closed.
     *
     * @throws HotStoreException {@code JVM_OPTION_MISSING} if Arrow cannot reach {@code java.nio}
     */
    public static synchronized BufferAllocator root() {
        if (root == null) {
            root = createRoot();
        }
        return root;
    }

    /**
     * A child of the root allocator, closed by the caller once everything allocated from it is
     * closed.
     *
     * @param name who uses it, for leak reports
     */
    public static BufferAllocator newAllocator(String name) {
        return root().newChildAllocator(name, 0, Long.MAX_VALUE);
    }

    /** A child that may hold at most {@code limitBytes}. */
    public static BufferAllocator newAllocator(String name, long limitBytes) {
        return root().newChildAllocator(name, 0, limitBytes);
    }

    private static BufferAllocator createRoot() {
        long limitBytes = limitBytes();
        try {
            BufferAllocator allocator = new RootAllocator(limitBytes);
            try (ArrowBuf probe = allocator.buffer(Long.BYTES)) {
                // Reading through a ByteBuffer is what fails without the option.
                probe.nioBuffer(0, Long.BYTES).getLong();
            }
            return allocator;
        } catch (LinkageError | RuntimeException failure) {
            throw new HotStoreException(
                    ErrorCode.JVM_OPTION_MISSING,
                    "Arrow cannot access the memory of this JVM ("
                            + ProcessHandle.current().info().command().orElse("java")
                            + "), because java.nio is not opened to it. Add this line to the JVM"
                            + " options (in Flink: env.java.opts.all): "
                            + REQUIRED_JVM_OPTION,
                    failure);
        }
    }

    private static long limitBytes() {
        String configured = System.getProperty(LIMIT_PROPERTY);
        if (configured == null) {
            return Math.max(Runtime.getRuntime().maxMemory(), MIN_DEFAULT_LIMIT_BYTES);
        }
        try {
            long limit = Long.parseLong(configured.trim());
            if (limit > 0) {
                return limit;
            }
        } catch (NumberFormatException notANumber) {
            throw invalidLimit(configured, notANumber);
        }
        throw invalidLimit(configured, null);
    }

    private static HotStoreException invalidLimit(
            String configured, @Nullable NumberFormatException cause) {
        return new HotStoreException(
                ErrorCode.INVALID_ARGUMENT,
                "system property "
                        + LIMIT_PROPERTY
                        + " is '"
                        + configured
                        + "'; it must be a positive number of bytes",
                cause);
    }
}
