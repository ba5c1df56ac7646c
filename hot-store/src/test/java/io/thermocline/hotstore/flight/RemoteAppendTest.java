package io.thermocline.hotstore.flight;

import static io.thermocline.hotstore.flight.FlightFixture.PATH;
import static io.thermocline.hotstore.flight.FlightFixture.SPEC;
import static io.thermocline.hotstore.flight.FlightFixture.TABLE_ID;
import static io.thermocline.hotstore.flight.FlightFixture.key;
import static io.thermocline.hotstore.flight.FlightFixture.prefix;
import static io.thermocline.hotstore.flight.FlightFixture.row;
import static io.thermocline.hotstore.flight.FlightFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.WriterEpoch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Batches that are refused or sent again, over the wire. */
@Timeout(300)
class RemoteAppendTest {

    private static final Duration RETRY = Duration.ofSeconds(20);
    private static final List<String> ALL = SPEC.rowType().getFieldNames();

    @TempDir Path directory;
    private FlightFixture fixture;
    private RemoteHotStore remote;
    private HotTable table;

    @BeforeEach
    void connect() {
        fixture = new FlightFixture(directory.resolve("hot"));
        remote = fixture.connect(RETRY);
        table = remote.openTable(PATH, TABLE_ID);
    }

    @AfterEach
    void disconnect() {
        remote.close();
        fixture.close();
    }

    @Test
    void anErrorOfOneAppendLeavesTheStreamUsable() throws Exception {
        UUID writer = UUID.randomUUID();
        append(0, writer, 0, row(RowKind.INSERT, 1, "eu", "a"));
        assertThat(fixture.append(table, 0, writer, 5, row(RowKind.INSERT, 2, "eu", "b")))
                .failsWithin(Duration.ofMinutes(1))
                .withThrowableThat()
                .withMessageContaining("OUT_OF_SEQUENCE");
        append(0, writer, 1, row(RowKind.INSERT, 3, "eu", "c"));
        assertThat(lookup(false, key(2, "eu"), key(3, "eu")))
                .containsExactly(List.of(), List.of("+I[3, eu, c]"));
    }

    @Test
    void anEarlierLifeOfAWriterIsRefused() throws Exception {
        UUID id = UUID.randomUUID();
        WriterEpoch earlier = table.beginWriter(id);
        WriterEpoch later = table.beginWriter(id);
        assertThat(earlier.writerId()).isEqualTo(id);
        assertThat(later.epoch()).isGreaterThan(earlier.epoch());
        fixture.append(table, 0, earlier, 0, row(RowKind.INSERT, 1, "eu", "older")).get();
        fixture.append(table, 0, later, 0, row(RowKind.INSERT, 1, "eu", "new")).get();
        assertThat(fixture.append(table, 0, earlier, 1, row(RowKind.INSERT, 1, "eu", "old")))
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.FENCED))
                .withMessageStartingWith("FENCED: batch 1 of writer " + earlier + " was refused");
        assertThat(lookup(false, key(1, "eu"))).containsExactly(List.of("+I[1, eu, new]"));
    }

    @Test
    void aBatchThatIsSentAgainAfterALaterLifeHasWrittenIsRefused() throws Exception {
        UUID id = UUID.randomUUID();
        WriterEpoch earlier = table.beginWriter(id);
        append(0, UUID.randomUUID(), 0, row(RowKind.INSERT, 2, "eu", "opens the stream"));
        fixture.stop();
        CompletableFuture<AppendResult> late =
                fixture.append(table, 0, earlier, 0, row(RowKind.INSERT, 1, "eu", "old"));
        fixture.start(
                store -> {
                    HotTable local = store.openTable(PATH, TABLE_ID);
                    WriterEpoch later = local.beginWriter(id);
                    assertThat(later.epoch()).isGreaterThan(earlier.epoch());
                    fixture.append(local, 0, later, 0, row(RowKind.INSERT, 1, "eu", "new")).join();
                    return store;
                });
        assertThat(late)
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableThat()
                .withMessageContaining("FENCED: batch 0 of writer " + earlier + " was refused");
        assertThat(lookup(false, key(1, "eu"))).containsExactly(List.of("+I[1, eu, new]"));
    }

    @Test
    void aRepeatedSequenceIsAppliedOnce() throws Exception {
        UUID writer = UUID.randomUUID();
        AppendResult first = append(0, writer, 0, row(RowKind.INSERT, 1, "eu", "a"));
        AppendResult again = append(0, writer, 0, row(RowKind.INSERT, 1, "eu", "a"));
        assertThat(again).isEqualTo(first);
    }

    private AppendResult append(int bucket, UUID writer, long sequence, RowData... rows)
            throws Exception {
        return fixture.append(table, bucket, writer, sequence, rows).get(60, TimeUnit.SECONDS);
    }

    private List<List<String>> lookup(boolean prefix, byte[]... keys) throws Exception {
        return texts(
                table.lookup(new LookupRequest(new int[keys.length], List.of(keys), prefix, ALL))
                        .get(60, TimeUnit.SECONDS)
                        .rows());
    }
}
