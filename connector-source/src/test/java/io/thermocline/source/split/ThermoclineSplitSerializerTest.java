package io.thermocline.source.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.lake.LakeSplit;
import io.thermocline.unionread.plan.OffsetRange;
import io.thermocline.unionread.plan.ReadPosition;
import io.thermocline.unionread.plan.ReadStep;
import io.thermocline.unionread.plan.ReadUnit;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

class ThermoclineSplitSerializerTest {

    private static final ThermoclineSplitSerializer SERIALIZER =
            ThermoclineSplitSerializer.INSTANCE;

    /** What version 1 wrote; must be readable for ever. */
    private static final String VERSION_1 =
            "00086275636b65742d33000000030000000200000000000000110000000401000000000000000700000002"
                    + "ffffffff000000000000006400000003010203000000010000000200000000000000050000000000"
                    + "0000090200000003000000000000000100000000000000080300000003000373633104000000030000"
                    + "00000000002a7fffffffffffffff";

    @Test
    void readsWhatVersionOneWrote() throws IOException {
        ThermoclineSplit split = SERIALIZER.deserialize(1, HexFormat.of().parseHex(VERSION_1));
        assertEqual(split, everyStep());
        assertThat(HexFormat.of().formatHex(SERIALIZER.serialize(everyStep())))
                .isEqualTo(VERSION_1);
    }

    @Test
    void aChangelogBesideTheLakeKeepsWhatItLeavesOut() throws IOException {
        ReadStep step = new ReadStep.Changelog(3, 42, ChangelogScan.UNBOUNDED, 17);
        ThermoclineSplit split =
                new ThermoclineSplit(
                        new ReadUnit("bucket-3", 3, List.of(step)), new ReadPosition(0, 5));
        assertEqual(SERIALIZER.deserialize(2, SERIALIZER.serialize(split)), split);
    }

    @Test
    void refusesAnUnknownVersion() {
        assertThatThrownBy(() -> SERIALIZER.deserialize(9, new byte[0]))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "split has serialized version 9, but this connector reads version 2."
                                + " Restore with the connector that wrote it, or a later one");
    }

    @Test
    void aSplitBelongsToOneTable() throws IOException {
        TableSplitSerializer first = new TableSplitSerializer(table("first"));
        byte[] written = first.serialize(everyStep());
        assertEqual(first.deserialize(3, written), everyStep());
        assertEqual(first.deserialize(2, written), everyStep());
        assertEqual(first.deserialize(1, HexFormat.of().parseHex(VERSION_1)), everyStep());
        TableSplitSerializer second = new TableSplitSerializer(table("second"));
        assertThatThrownBy(() -> second.deserialize(3, written))
                .isInstanceOf(SuppressRestartsException.class)
                .cause()
                .hasMessage(
                        "TABLE_RECREATED: the state to restore was read from table id first, but"
                                + " table db.t has id second now: it was dropped and created again."
                                + " Start the query without the old state");
        assertThatThrownBy(() -> second.deserialize(4, written)).isInstanceOf(IOException.class);
    }

    private static HotTableSpec table(String id) {
        return new HotTableSpec(
                new ObjectPath("db", "t"),
                id,
                0,
                RowType.of(new BigIntType(false)),
                List.of("f0"),
                List.of(),
                List.of("f0"),
                1,
                Map.of());
    }

    @Test
    void aSplitHasUnreadStateUntilItReachesAnEndlessChangelog() {
        ReadUnit unit = everyStep().unit();
        assertThat(new ThermoclineSplit(unit, ReadPosition.START).hasUnreadState()).isTrue();
        assertThat(new ThermoclineSplit(unit, new ReadPosition(2, 9)).hasUnreadState()).isTrue();
        assertThat(new ThermoclineSplit(unit, new ReadPosition(3, 0)).hasUnreadState()).isFalse();
    }

    @Test
    void aStateNeverMovesBack() {
        ThermoclineSplitState state = new ThermoclineSplitState(everyStep());
        state.advanceTo(new ReadPosition(3, 5));
        assertThat(state.changelogOffset()).hasValue(47);
        assertThatThrownBy(() -> state.advanceTo(new ReadPosition(3, 4)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("split bucket-3 moved back from");
    }

    private static ThermoclineSplit everyStep() {
        List<ReadStep> steps =
                List.of(
                        new ReadStep.Lake(
                                7,
                                new LakeSplit(LakeSplit.UNKNOWN_BUCKET, 100, new byte[] {1, 2, 3}),
                                Map.of(2, new OffsetRange(5, 9)),
                                2),
                        new ReadStep.NetChanges(3, new OffsetRange(1, 8)),
                        new ReadStep.KeyIndex(3, "sc1"),
                        new ReadStep.Changelog(3, 42, ChangelogScan.UNBOUNDED));
        return new ThermoclineSplit(new ReadUnit("bucket-3", 3, steps), new ReadPosition(2, 17));
    }

    /** Records compare arrays by identity, so the payload is compared by itself. */
    private static void assertEqual(ThermoclineSplit actual, ThermoclineSplit expected) {
        assertThat(actual.splitId()).isEqualTo(expected.splitId());
        assertThat(actual.position()).isEqualTo(expected.position());
        assertThat(actual.unit().bucket()).isEqualTo(expected.unit().bucket());
        assertThat(actual.unit().steps())
                .usingRecursiveComparison()
                .isEqualTo(expected.unit().steps());
    }
}
