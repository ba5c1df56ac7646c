package io.thermocline.lake;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.TieredState.BucketPosition;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link TieredState} is kept in the properties of a lake snapshot: the table id in {@link
 * #TABLE_ID}, the positions in {@link #STATE} as {@code {"version":1,"buckets":{"0":[offset,
 * maxCommitTimestamp],...}}}. With {@code "absorbed"}, the id of a snapshot, it is version 2.
 */
public final class TieredStateCodec {

    /** Snapshot property with the table id. */
    public static final String TABLE_ID = "thermocline.table-id";

    /** Snapshot property with the positions. */
    public static final String STATE = "thermocline.tiered-state";

    /** Lowest version that is read, and that of states without an absorbed snapshot. */
    static final int VERSION = 1;

    /** Version of states with an absorbed snapshot. */
    static final int ABSORBED_VERSION = 2;

    private static final String ABSORBED = "absorbed";

    private static final ObjectMapper JSON = new ObjectMapper();

    private TieredStateCodec() {}

    /** The snapshot properties of a state. */
    public static Map<String, String> toProperties(TieredState state) {
        ObjectNode root = JSON.createObjectNode();
        Long absorbed = state.absorbedSnapshotId();
        root.put("version", absorbed == null ? VERSION : ABSORBED_VERSION);
        if (absorbed != null) {
            root.put(ABSORBED, absorbed);
        }
        ObjectNode buckets = root.putObject("buckets");
        new TreeMap<>(state.buckets())
                .forEach(
                        (bucket, position) ->
                                buckets.putArray(String.valueOf(bucket))
                                        .add(position.offset())
                                        .add(position.maxCommitTimestamp()));
        return Map.of(TABLE_ID, state.tableId(), STATE, root.toString());
    }

    /**
     * The state in a snapshot's properties; empty if the snapshot was not written by tiering.
     *
     * @throws LakeException {@code TIERED_STATE_MISSING} if the properties are damaged or of a
     *     newer version
     */
    public static Optional<TieredState> fromProperties(Map<String, String> properties) {
        String tableId = properties.get(TABLE_ID);
        String json = properties.get(STATE);
        if (tableId == null && json == null) {
            return Optional.empty();
        }
        if (tableId == null || json == null) {
            throw unreadable(json, "one of the two properties is missing", null);
        }
        JsonNode root = parse(json);
        return Optional.of(new TieredState(tableId, buckets(json, root), absorbed(json, root)));
    }

    private static JsonNode parse(String json) {
        JsonNode root;
        try {
            root = JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw unreadable(json, "it is not JSON", e);
        }
        int version = root.path("version").asInt();
        if (version < VERSION || version > ABSORBED_VERSION) {
            throw unreadable(
                    json,
                    "its version is "
                            + version
                            + ", this program reads versions "
                            + VERSION
                            + " to "
                            + ABSORBED_VERSION,
                    null);
        }
        return root;
    }

    private static @Nullable Long absorbed(String json, JsonNode root) {
        if (root.path("version").asInt() < ABSORBED_VERSION) {
            return null;
        }
        JsonNode absorbed = root.path(ABSORBED);
        if (!absorbed.isIntegralNumber()) {
            throw unreadable(json, "'" + ABSORBED + "' is not a snapshot id", null);
        }
        return absorbed.longValue();
    }

    private static Map<Integer, BucketPosition> buckets(String json, JsonNode root) {
        Map<Integer, BucketPosition> buckets = new TreeMap<>();
        root.path("buckets")
                .properties()
                .forEach(
                        bucket ->
                                buckets.put(
                                        bucketNumber(json, bucket.getKey()),
                                        position(json, bucket.getValue())));
        if (buckets.isEmpty()) {
            throw unreadable(json, "it has no buckets", null);
        }
        return buckets;
    }

    private static int bucketNumber(String json, String key) {
        try {
            return Integer.parseInt(key);
        } catch (NumberFormatException e) {
            throw unreadable(json, "'" + key + "' is not a bucket number", e);
        }
    }

    private static BucketPosition position(String json, JsonNode node) {
        if (!(node instanceof ArrayNode)
                || node.size() != 2
                || !node.get(0).isIntegralNumber()
                || !node.get(1).isIntegralNumber()) {
            throw unreadable(json, node + " is not [offset, timestamp]", null);
        }
        return new BucketPosition(node.get(0).longValue(), node.get(1).longValue());
    }

    private static LakeException unreadable(String json, String why, Throwable cause) {
        return new LakeException(
                Reason.TIERED_STATE_MISSING,
                "cannot read the tiered state "
                        + json
                        + " of a lake snapshot: "
                        + why
                        + ". Use the version of the program that wrote it, or roll the lake table back"
                        + " to an older snapshot.",
                cause);
    }
}
