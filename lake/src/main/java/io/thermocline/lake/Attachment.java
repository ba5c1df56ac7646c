package io.thermocline.lake;

import java.io.Serializable;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where a lake table is on its way to or from having a hot tier, as its options say. See {@code
 * docs/decisions/0010-attach-and-detach.md}.
 *
 * @param state where it is
 * @param epoch counts the moves from state to state; 0 if there was none
 * @param tableId the table id that the state is about; null on a table that never had one
 * @param snapshotId while attaching, the lake snapshot whose rows are taken over; {@link
 *     #NO_SNAPSHOT} if there is none
 * @param sinceMillis when a table that existed before got the hot tier that it has, milliseconds
 *     since the epoch: no changelog tells of changes before that; {@link #ALWAYS} on others
 */
public record Attachment(
        State state, long epoch, @Nullable String tableId, long snapshotId, long sinceMillis)
        implements Serializable {

    /** The changelog tells of every change, as far as retention keeps it. */
    public static final long ALWAYS = -1;

    /** There was no snapshot. */
    public static final long NO_SNAPSHOT = -1;

    private static final String PREFIX = "attachment.";
    private static final String STATE = PREFIX + "state";
    private static final String EPOCH = PREFIX + "epoch";
    private static final String ID = PREFIX + "table-id";
    private static final String SNAPSHOT = PREFIX + "snapshot-id";
    private static final String SINCE = PREFIX + "since-millis";

    /** Whether a table has a hot tier. */
    public enum State {
        /** A plain lake table. */
        DETACHED,
        /** A plain lake table whose rows are being taken over. */
        ATTACHING,
        /** It has a hot tier. */
        ATTACHED,
        /** It has a hot tier that takes no more rows, until all of them are in the lake. */
        DRAINING;

        /** Whether readers find the table's newest rows in a hot tier. */
        public boolean hasHotTier() {
            return this == ATTACHED || this == DRAINING;
        }
    }

    /**
     * What the options of a table say.
     *
     * @param hotOptions options under {@link LakeTableDefinition#OPTION_PREFIX}, without the prefix
     * @throws LakeException {@code UNSUPPORTED} if they cannot be understood
     */
    public static Attachment of(Map<String, String> hotOptions) {
        String state = hotOptions.get(STATE);
        String tableId = hotOptions.get(LakeTableDefinition.TABLE_ID);
        if (state == null) {
            return tableId == null
                    ? new Attachment(State.DETACHED, 0, null, NO_SNAPSHOT, ALWAYS)
                    : new Attachment(State.ATTACHED, 0, tableId, NO_SNAPSHOT, ALWAYS);
        }
        try {
            return new Attachment(
                    State.valueOf(state.toUpperCase(Locale.ROOT)),
                    Long.parseLong(hotOptions.getOrDefault(EPOCH, "0")),
                    hotOptions.get(ID),
                    Long.parseLong(hotOptions.getOrDefault(SNAPSHOT, "-1")),
                    Long.parseLong(hotOptions.getOrDefault(SINCE, "-1")));
        } catch (IllegalArgumentException e) {
            throw new LakeException(
                    LakeException.Reason.UNSUPPORTED,
                    "the options "
                            + LakeTableDefinition.OPTION_PREFIX
                            + PREFIX
                            + "* of a lake table cannot be understood: "
                            + new TreeMap<>(hotOptions)
                            + ". Use the version of the program that wrote them.",
                    e);
        }
    }

    /** Whether an option (without our prefix) belongs to the state. */
    public static boolean isOption(String key) {
        return key.startsWith(PREFIX) || key.equals(LakeTableDefinition.TABLE_ID);
    }

    /** The options, without our prefix, that say this; all others of {@link #isOption} are gone. */
    public Map<String, String> toOptions() {
        Map<String, String> options = new TreeMap<>();
        options.put(STATE, state.name().toLowerCase(Locale.ROOT));
        options.put(EPOCH, String.valueOf(epoch));
        Optional.ofNullable(tableId).ifPresent(id -> options.put(ID, id));
        if (state == State.ATTACHING) {
            options.put(SNAPSHOT, String.valueOf(snapshotId));
        }
        if (state.hasHotTier()) {
            options.put(LakeTableDefinition.TABLE_ID, tableId);
            if (sinceMillis != ALWAYS) {
                options.put(SINCE, String.valueOf(sinceMillis));
            }
        }
        return options;
    }

    /** The next state, of the same table id. */
    public Attachment next(State next) {
        long since = state == State.ATTACHING ? System.currentTimeMillis() : sinceMillis;
        return new Attachment(
                next, epoch + 1, tableId, NO_SNAPSHOT, next.hasHotTier() ? since : ALWAYS);
    }

    /** The state of taking over the rows of a snapshot, under a new table id. */
    public Attachment attaching(String newTableId, long fromSnapshotId) {
        return new Attachment(State.ATTACHING, epoch + 1, newTableId, fromSnapshotId, ALWAYS);
    }

    /**
     * The options of a table after a move to this state.
     *
     * @param present all options as they are stored, with our prefix
     * @param added more of ours, without the prefix
     * @param kept keys, with our prefix, that stay when the table is a plain one again
     */
    public Map<String, String> moved(
            Map<String, String> present, Map<String, String> added, Set<String> kept) {
        Map<String, String> options = new TreeMap<>(present);
        options.keySet()
                .removeIf(
                        key ->
                                key.startsWith(LakeTableDefinition.OPTION_PREFIX)
                                        && !kept.contains(key)
                                        && (state == State.DETACHED || isOption(name(key))));
        added.forEach((key, value) -> options.put(LakeTableDefinition.OPTION_PREFIX + key, value));
        toOptions()
                .forEach(
                        (key, value) ->
                                options.put(LakeTableDefinition.OPTION_PREFIX + key, value));
        return options;
    }

    private static String name(String key) {
        return key.substring(LakeTableDefinition.OPTION_PREFIX.length());
    }

    @Override
    public String toString() {
        return state.name().toLowerCase(Locale.ROOT)
                + " (epoch "
                + epoch
                + ", table id "
                + tableId
                + ")";
    }
}
