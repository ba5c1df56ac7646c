package io.thermocline.lake.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.lake.Attachment;
import io.thermocline.lake.Attachment.State;
import io.thermocline.lake.LakeAttachments;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.TieredState;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.junit.jupiter.api.Test;

/** Hot tiers that come to tables that exist, and go. */
public abstract class LakeAttachmentSuite extends LakeSuite {

    private static final int BUCKETS = 2;

    private static TestTable schema() {
        return new TestTable()
                .column("id", DataTypes.BIGINT().notNull())
                .column("v", DataTypes.STRING())
                .option(LakeTableDefinition.OPTION_PREFIX + "tiering.freshness", "7 s");
    }

    private static RowData row(long id, String value) {
        return GenericRowData.of(id, StringData.fromString(value));
    }

    /** A plain table, which has had a hot tier; returns the state that it was in. */
    private Attachment plainTable(TestTable schema, RowData... rows) {
        tier(create(schema, List.of("id"), BUCKETS), List.of(rows));
        LakeAttachments attachments = catalog.attachments();
        Attachment attached = attachment();
        attachments.move(PATH, attached, attached.next(State.DRAINING), Map.of());
        Attachment draining = attachment();
        attachments.move(PATH, draining, draining.next(State.DETACHED), Map.of());
        attachments.releaseSnapshots(PATH);
        return attached;
    }

    private Attachment attachment() {
        return catalog.table(PATH).definition().attachment();
    }

    private Attachment beginAttaching() {
        Attachment present = attachment();
        long newest = catalog.table(PATH).latestSnapshot().orElseThrow().snapshotId();
        catalog.attachments().checkAttachable(PATH);
        Attachment attaching = present.attaching(UUID.randomUUID().toString(), newest);
        catalog.attachments().move(PATH, present, attaching, Map.of("tiering.freshness", "9 s"));
        return attaching;
    }

    @Test
    void aDetachedTableIsAPlainOne() {
        Attachment before = plainTable(schema().primaryKey("id"), row(1, "a"), row(2, "b"));
        LakeTable table = catalog.table(PATH);
        assertThat(table.definition().tableId()).isEmpty();
        assertThat(attachment().state()).isEqualTo(State.DETACHED);
        assertThat(attachment().epoch()).isEqualTo(before.epoch() + 2);
        assertThat(table.definition().hotOptions()).doesNotContainKey("tiering.freshness");
        assertThat(table.latestSnapshot().orElseThrow().tieredState()).isNull();
        assertThat(readAll(table)).containsExactlyInAnyOrder(List.of("1", "a"), List.of("2", "b"));

        lake.appendByOthers(PATH, List.of(row(3, "c")));
        lake.expireByOthers(PATH);
        assertThat(lake.snapshotIds(PATH)).hasSize(1);
        assertThat(readAll(catalog.table(PATH))).hasSize(3);
    }

    @Test
    void theFirstStateBelongsToTheRowsTakenOver() {
        plainTable(schema().primaryKey("id"), row(1, "a"));
        lake.appendByOthers(PATH, List.of(row(2, "b")));
        Attachment attaching = beginAttaching();
        assertThat(catalog.table(PATH).definition().tableId()).isEmpty();
        LakeTableDefinition coming =
                catalog.table(PATH).definition().whileAttaching().orElseThrow();
        assertThat(coming.tableId()).contains(attaching.tableId());
        int buckets = hotBuckets(BUCKETS);
        assertThat(coming.bucketCount()).isEqualTo(buckets);
        assertThat(coming.bucketKeys()).containsExactly("id");
        assertThat(coming.primaryKey()).containsExactly("id");

        lake.compactByOthers(PATH);
        TieredState first =
                next(TieredState.initial(attaching.tableId(), buckets), Map.of(buckets - 1, 2));
        catalog.attachments().commitFirstState(PATH, attaching, first);
        catalog.attachments().move(PATH, attaching, attaching.next(State.ATTACHED), Map.of());

        LakeTable table = catalog.table(PATH);
        LakeSnapshot latest = table.latestSnapshot().orElseThrow();
        assertThat(latest.tieredState()).isEqualTo(first);
        assertThat(table.definition().tableId()).contains(attaching.tableId());
        assertThat(table.definition().hotOptions()).containsEntry("tiering.freshness", "9 s");
        assertThat(readAll(table)).containsExactlyInAnyOrder(List.of("1", "a"), List.of("2", "b"));
        tier(table, List.of(row(1, "A"), row(3, "c")));
        assertThat(readAll(table))
                .containsExactlyInAnyOrder(List.of("1", "A"), List.of("2", "b"), List.of("3", "c"));
        lake.expireByOthers(PATH);
        assertThat(state(table).tableId()).isEqualTo(attaching.tableId());
    }

    @Test
    void rowsThatOthersChangedMeanwhileAreNotPassedOver() {
        plainTable(schema().primaryKey("id"), row(1, "a"));
        Attachment attaching = beginAttaching();
        lake.appendByOthers(PATH, List.of(row(2, "b")));
        List<Long> before = lake.snapshotIds(PATH);
        assertThatThrownBy(
                        () ->
                                catalog.attachments()
                                        .commitFirstState(
                                                PATH,
                                                attaching,
                                                TieredState.initial(attaching.tableId(), BUCKETS)))
                .isInstanceOf(LakeException.class)
                .hasMessageContaining("COMMIT_CONFLICT: lake table default.t got snapshot")
                .hasMessageContaining("while its rows of snapshot " + attaching.snapshotId());
        assertThat(lake.snapshotIds(PATH)).isEqualTo(before);
    }

    @Test
    void rowsThatOthersAppendToALogTableMeanwhileAreItsOwn() {
        plainTable(schema(), row(1, "a"));
        Attachment attaching = beginAttaching();
        lake.appendByOthers(PATH, List.of(row(2, "b")));
        TieredState first = TieredState.initial(attaching.tableId(), BUCKETS);
        catalog.attachments().commitFirstState(PATH, attaching, first);
        catalog.attachments().move(PATH, attaching, attaching.next(State.ATTACHED), Map.of());
        LakeTable table = catalog.table(PATH);
        assertThat(state(table)).isEqualTo(first);
        assertThat(readAll(table)).containsExactlyInAnyOrder(List.of("1", "a"), List.of("2", "b"));
    }

    @Test
    void aMoveStartsFromTheStateThatItNames() {
        plainTable(schema().primaryKey("id"), row(1, "a"));
        Attachment detached = attachment();
        Attachment first = beginAttaching();
        Attachment second = detached.attaching(UUID.randomUUID().toString(), 1);
        assertThatThrownBy(() -> catalog.attachments().move(PATH, detached, second, Map.of()))
                .isInstanceOf(LakeException.class)
                .hasMessageContaining(
                        "COMMIT_CONFLICT: table default.t is attaching (epoch " + first.epoch())
                .hasMessageContaining("no longer detached (epoch " + detached.epoch());
        assertThatThrownBy(
                        () ->
                                catalog.attachments()
                                        .commitFirstState(
                                                PATH,
                                                second,
                                                TieredState.initial(second.tableId(), BUCKETS)))
                .isInstanceOf(LakeException.class)
                .hasMessageContaining(
                        "no longer attaching (epoch "
                                + second.epoch()
                                + ", table id "
                                + second.tableId());
        assertThat(attachment()).isEqualTo(first);
    }
}
