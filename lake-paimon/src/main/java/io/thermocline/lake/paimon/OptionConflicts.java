package io.thermocline.lake.paimon;

import java.util.List;
import java.util.Optional;

/**
 * Table options of Paimon that would make the lake table behave differently from the hot tier in
 * front of it. Rows arrive in the lake already merged, into buckets and partitions that the hot
 * tier chose.
 */
final class OptionConflicts {

    private record Conflict(String prefix, String reason) {}

    /** Begins the options of Paimon's own placing of keys. */
    static final String DYNAMIC_BUCKET = "dynamic-bucket.";

    private static final String MERGED =
            "rows arrive in the lake already merged, so the lake must keep the last one";
    private static final String LAYOUT = "the hot tier decides where rows are";
    private static final String DELETES = "the lake would lose rows that the hot tier still knows";
    private static final String READING =
            "it steers how the lake is read, which the union of both tiers does itself; give it as a"
                    + " hint on the '$lake' table";
    private static final String DEFINITION = "write it as a clause of CREATE TABLE";

    private static final List<Conflict> CONFLICTS =
            List.of(
                    new Conflict("sequence.", MERGED),
                    new Conflict("rowkind.field", MERGED),
                    new Conflict("fields.", MERGED),
                    new Conflict("aggregation.", MERGED),
                    new Conflict("partial-update.", MERGED),
                    new Conflict("ignore-", MERGED),
                    new Conflict("local-merge", MERGED),
                    new Conflict("changelog-", "changes are read from the hot tier's changelog"),
                    new Conflict("changelog.", "changes are read from the hot tier's changelog"),
                    new Conflict("log.", "changes are read from the hot tier's changelog"),
                    new Conflict("primary-key", DEFINITION),
                    new Conflict(DYNAMIC_BUCKET, LAYOUT),
                    new Conflict("cross-partition-upsert.", LAYOUT),
                    new Conflict("branch", LAYOUT),
                    new Conflict("path", LAYOUT),
                    new Conflict("auto-create", LAYOUT),
                    new Conflict("type", LAYOUT),
                    new Conflict("data-evolution.", LAYOUT),
                    new Conflict("row-tracking.", LAYOUT),
                    new Conflict("deletion-vectors.", LAYOUT),
                    new Conflict("partition.", DELETES),
                    new Conflict("record-level.", DELETES),
                    new Conflict("delete.", DELETES),
                    new Conflict("scan.", READING),
                    new Conflict("incremental-", READING),
                    new Conflict("streaming-read", READING),
                    new Conflict("consumer", READING),
                    new Conflict("continuous.", READING),
                    new Conflict("lookup.", READING),
                    new Conflict("materialized-table.", DEFINITION));

    private static final Conflict PARTITION = new Conflict("partition", DEFINITION);

    private OptionConflicts() {}

    /** Why a table with a hot tier must not have this lake option; empty if it may. */
    static Optional<String> reason(String key) {
        if (key.equals(PARTITION.prefix())) {
            return Optional.of(PARTITION.reason());
        }
        return CONFLICTS.stream()
                .filter(conflict -> key.startsWith(conflict.prefix()))
                .map(Conflict::reason)
                .findFirst();
    }
}
