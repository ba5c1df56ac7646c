package io.thermocline.lake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.lake.TieredState.BucketPosition;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TieredStateCodecTest {

    private static final String JSON =
            "{\"version\":1,\"buckets\":{\"0\":[0,-1],\"2\":[9223372036854775807,5],\"10\":[3,4]}}";

    private static final TieredState STATE =
            new TieredState(
                    "id",
                    Map.of(
                            10, new BucketPosition(3, 4),
                            0, BucketPosition.START,
                            2, new BucketPosition(Long.MAX_VALUE, 5)));

    @Test
    void writesTheDocumentedForm() {
        assertThat(TieredStateCodec.toProperties(STATE))
                .isEqualTo(Map.of("thermocline.table-id", "id", "thermocline.tiered-state", JSON));
    }

    @Test
    void readsWhatItWrites() {
        assertThat(TieredStateCodec.fromProperties(TieredStateCodec.toProperties(STATE)))
                .contains(STATE);
    }

    @Test
    void anAbsorbedSnapshotIsVersionTwo() {
        TieredState state =
                new TieredState("id", Map.of(0, new BucketPosition(3, 4)), -8_111_222_333L);
        Map<String, String> properties = TieredStateCodec.toProperties(state);
        assertThat(properties.get(TieredStateCodec.STATE))
                .isEqualTo("{\"version\":2,\"absorbed\":-8111222333,\"buckets\":{\"0\":[3,4]}}");
        assertThat(TieredStateCodec.fromProperties(properties)).contains(state);
    }

    @Test
    void propertiesOfOthersHaveNoState() {
        assertThat(TieredStateCodec.fromProperties(Map.of("a", "b"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}|its version is 0",
                "{\"version\":3,\"buckets\":{}}|its version is 3, this program reads versions 1 to 2",
                "{\"version\":2,\"buckets\":{\"0\":[1,2]}}|'absorbed' is not a snapshot id",
                "{\"version\":1,\"buckets\":{}}|it has no buckets",
                "{\"version\":1,\"buckets\":{\"x\":[1,2]}}|'x' is not a bucket number",
                "{\"version\":1,\"buckets\":{\"0\":[1]}}|[1] is not [offset, timestamp]",
                "{\"version\":1,\"buckets\":{\"0\":[1.5,2]}}|[1.5,2] is not [offset, timestamp]",
                "{\"version\":1|it is not JSON"
            })
    void aDamagedStateIsAnError(String json, String why) {
        Map<String, String> properties =
                Map.of(TieredStateCodec.TABLE_ID, "id", TieredStateCodec.STATE, json);

        assertThatThrownBy(() -> TieredStateCodec.fromProperties(properties))
                .isInstanceOf(LakeException.class)
                .hasMessageStartingWith("TIERED_STATE_MISSING: ")
                .hasMessageContaining(why);
    }

    @Test
    void halfAStateIsAnError() {
        assertThatThrownBy(
                        () ->
                                TieredStateCodec.fromProperties(
                                        Map.of(TieredStateCodec.TABLE_ID, "id")))
                .hasMessageContaining("one of the two properties is missing");
    }
}
