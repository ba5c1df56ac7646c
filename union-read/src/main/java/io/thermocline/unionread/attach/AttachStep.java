package io.thermocline.unionread.attach;

/** Steps of attaching and detaching, each durable once it is reached. */
enum AttachStep {
    ATTACHING,
    HYDRATED,
    FIRST_STATE_COMMITTED,
    ATTACHED,
    DRAINING,
    CHANGELOG_ENDED,
    TIERED,
    DETACHED,
    HOT_DATA_REMOVED
}
