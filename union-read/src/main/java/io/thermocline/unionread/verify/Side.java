package io.thermocline.unionread.verify;

/** Where a row was found. */
enum Side {
    /** Lake snapshot that the comparison starts from. */
    BASE,
    /** Changelog after the base. */
    CHANGELOG,
    /** What both must lead to. */
    TARGET
}
