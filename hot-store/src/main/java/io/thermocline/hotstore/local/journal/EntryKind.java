package io.thermocline.hotstore.local.journal;

/** What a journal entry is. Numbers are part of the file format. */
public enum EntryKind {
    /** A frame group of one bucket. */
    GROUP(1),
    /** The table was dropped: all earlier entries of it are void. */
    DROP(2);

    private final int number;

    EntryKind(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    static EntryKind ofNumber(int number) {
        return switch (number) {
            case 1 -> GROUP;
            case 2 -> DROP;
            default -> throw new IllegalArgumentException("unknown journal entry kind " + number);
        };
    }
}
