package io.thermocline.hotstore.format;

/** How the buffers of a frame group may be compressed. Numbers are part of the format. */
public enum Compression {
    NONE(0),
    /** Zstandard, for each buffer that becomes smaller by it. */
    ZSTD(1);

    private final int number;

    Compression(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
