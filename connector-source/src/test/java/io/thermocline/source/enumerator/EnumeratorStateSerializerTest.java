package io.thermocline.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.source.split.ThermoclineSplit;
import io.thermocline.unionread.plan.Claim;
import io.thermocline.unionread.plan.ReadPosition;
import io.thermocline.unionread.plan.ReadStep;
import io.thermocline.unionread.plan.ReadUnit;
import io.thermocline.unionread.plan.Startup;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EnumeratorStateSerializerTest {

    private static final EnumeratorStateSerializer SERIALIZER = EnumeratorStateSerializer.INSTANCE;

    /** What version 1 wrote; must be readable for ever. */
    private static final String VERSION_1 =
            "0002696404000000000000007b0100000001000000010000003300086275636b65742d300000"
                    + "0000000000000000000000000003000000010400000000000000000000000500000000000000"
                    + "0a0000000100086275636b65742d300100000001000000000000000000000005000000000000"
                    + "0007010008736e617073686f74";

    /** The same, as it is written now: with splits of their version 2. */
    private static final String WRITTEN = VERSION_1.replace("7b0100000001", "7b0100000002");

    @Test
    void readsWhatVersionOneWrote() throws IOException {
        EnumeratorState state = state();
        assertThat(HexFormat.of().formatHex(SERIALIZER.serialize(state))).isEqualTo(WRITTEN);
        for (String form : List.of(VERSION_1, WRITTEN)) {
            assertThat(SERIALIZER.deserialize(1, HexFormat.of().parseHex(form))).isEqualTo(state);
        }
    }

    @Test
    void tellsUnplannedFromPlannedWithoutSplits() throws IOException {
        EnumeratorState unplanned =
                new EnumeratorState("id", new Startup.Latest(), false, List.of(), Set.of(), null);
        EnumeratorState planned =
                new EnumeratorState("id", new Startup.Latest(), true, List.of(), Set.of(), null);
        assertThat(copy(unplanned)).isEqualTo(unplanned);
        assertThat(copy(planned)).isEqualTo(planned);
        assertThat(planned).isNotEqualTo(unplanned);
    }

    @Test
    void refusesAnUnknownVersion() {
        assertThatThrownBy(() -> SERIALIZER.deserialize(2, new byte[0]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("serialized version 2, but this connector reads version 1");
    }

    private static EnumeratorState copy(EnumeratorState state) throws IOException {
        return SERIALIZER.deserialize(SERIALIZER.getVersion(), SERIALIZER.serialize(state));
    }

    private static EnumeratorState state() {
        ReadUnit unit = new ReadUnit("bucket-0", 0, List.of(new ReadStep.Changelog(0, 5, 10)));
        return new EnumeratorState(
                "id",
                new Startup.Timestamp(123),
                true,
                List.of(new ThermoclineSplit(unit, new ReadPosition(0, 3))),
                Set.of("bucket-0"),
                new Claim(Map.of(0, 5L), 7, "snapshot"));
    }
}
