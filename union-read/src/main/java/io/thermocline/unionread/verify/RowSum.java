package io.thermocline.unionread.verify;

/**
 * Number and checksum of a set of rows, in any order: rows may be added and taken away, and two
 * sets are the same if number and checksum are, except with the probability of a 128-bit collision.
 *
 * @param rows rows added less rows taken away
 * @param low sum of the rows' first hashes
 * @param high sum of their second ones
 */
record RowSum(long rows, long low, long high) {

    static final RowSum NONE = new RowSum(0, 0, 0);

    /**
     * With a row added or taken away.
     *
     * @param sign 1 or -1
     */
    RowSum with(RowHash hash, int sign) {
        return new RowSum(rows + sign, low + sign * hash.low(), high + sign * hash.high());
    }

    RowSum plus(RowSum other) {
        return new RowSum(rows + other.rows, low + other.low, high + other.high);
    }

    /** The checksum as 32 hexadecimal digits. */
    String checksum() {
        return "%016x%016x".formatted(high, low);
    }
}
