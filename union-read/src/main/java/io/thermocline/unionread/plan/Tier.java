package io.thermocline.unionread.plan;

/** Which tiers are read. */
public enum Tier {
    /** Both: complete and fresh. */
    UNION,
    /** The hot tier alone: key index of primary-key tables, changelog of log tables. */
    HOT,
    /** The newest lake snapshot alone. */
    LAKE
}
