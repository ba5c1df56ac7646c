package io.thermocline.hotstore.flight;

import static io.thermocline.hotstore.flight.FlightFixture.PATH;
import static io.thermocline.hotstore.flight.FlightFixture.TABLE_ID;
import static io.thermocline.hotstore.flight.FlightFixture.TOKEN;
import static io.thermocline.hotstore.flight.FlightFixture.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.HotTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.ActionType;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What any Flight client can do with {@code docs/flight.md} in hand. */
@Timeout(300)
class PlainFlightClientTest {

    @TempDir Path directory;
    private final BufferAllocator allocator = new RootAllocator();
    private FlightFixture fixture;
    private FlightClient client;

    @BeforeEach
    void connect() throws Exception {
        fixture = new FlightFixture(directory.resolve("hot"));
        client =
                FlightClient.builder(
                                allocator,
                                Location.forGrpcInsecure("127.0.0.1", fixture.server().port()))
                        .build();
        try (RemoteHotStore store = fixture.connect(Duration.ofSeconds(20));
                HotTable table = store.openTable(PATH, TABLE_ID)) {
            fixture.append(
                            table,
                            1,
                            UUID.randomUUID(),
                            0,
                            row(RowKind.INSERT, 1, "eu", "a"),
                            row(RowKind.INSERT, 1, "us", "b"),
                            row(RowKind.INSERT, 2, "eu", null))
                    .get(60, TimeUnit.SECONDS);
        }
    }

    @AfterEach
    void disconnect() throws Exception {
        client.close();
        fixture.close();
        allocator.close();
    }

    private static CallOption token(String token) {
        FlightCallHeaders headers = new FlightCallHeaders();
        headers.insert("authorization", "Bearer " + token);
        return new HeaderCallOption(headers);
    }

    private static ObjectNode command(String name) {
        return TableAddress.of(PATH, TABLE_ID).command().put("command", name);
    }

    @Test
    void aChangelogIsFoundByItsInfoAndScanned() throws Exception {
        FlightInfo info =
                client.getInfo(
                        FlightDescriptor.command(
                                WireJson.bytes(
                                        command("scan").put("startOffset", 0).put("endOffset", 0))),
                        token(TOKEN));
        assertThat(info.getEndpoints()).hasSize(2);
        assertThat(info.getSchemaOptional().orElseThrow().getFields())
                .extracting(field -> field.getName())
                .containsExactly("_row_kind", "id", "region", "note");

        ObjectNode scan =
                command("scan").put("bucket", 1).put("startOffset", 1).put("endOffset", 3);
        List<String> rows = new ArrayList<>();
        try (FlightStream stream =
                client.getStream(
                        new org.apache.arrow.flight.Ticket(WireJson.bytes(scan)), token(TOKEN))) {
            while (stream.next()) {
                ScanMetadata metadata = ScanMetadata.read(WireBuffers.metadata(stream));
                VectorSchemaRoot root = stream.getRoot();
                for (int i = 0; i < metadata.commitTimestamps().length; i++) {
                    rows.add(
                            metadata.baseOffset()
                                    + i
                                    + ": "
                                    + root.getVector("id").getObject(i)
                                    + " "
                                    + root.getVector("region").getObject(i)
                                    + " "
                                    + root.getVector("note").getObject(i));
                }
            }
        }
        assertThat(rows).containsExactly("1: 1 us b", "2: 2 eu null");
    }

    @Test
    void rowsAreLookedUpByKeyColumnsAndByThePrefix() throws Exception {
        assertThat(lookup(List.of(2L, 1L, 7L), List.of("eu", "us", "eu")))
                .containsExactly("0: 2 eu null", "1: 1 us b");
        assertThat(lookup(List.of(1L), null)).containsExactly("0: 1 eu a", "0: 1 us b");
    }

    private List<String> lookup(List<Long> ids, List<String> regions) throws Exception {
        List<org.apache.arrow.vector.FieldVector> columns = new ArrayList<>();
        BigIntVector id = new BigIntVector("id", allocator);
        columns.add(id);
        VarCharVector region = regions == null ? null : new VarCharVector("region", allocator);
        if (region != null) {
            columns.add(region);
        }
        List<String> found = new ArrayList<>();
        try (VectorSchemaRoot keys = new VectorSchemaRoot(columns);
                FlightClient.ExchangeReaderWriter exchange =
                        client.doExchange(
                                FlightDescriptor.command(WireJson.bytes(command("lookup"))),
                                token(TOKEN))) {
            for (int i = 0; i < ids.size(); i++) {
                id.setSafe(i, ids.get(i));
                if (region != null) {
                    region.setSafe(i, regions.get(i).getBytes());
                }
            }
            keys.setRowCount(ids.size());
            exchange.getWriter().start(keys);
            exchange.getWriter().putNext();
            exchange.getWriter().completed();
            FlightStream answers = exchange.getReader();
            while (answers.next()) {
                VectorSchemaRoot root = answers.getRoot();
                for (int i = 0; i < root.getRowCount(); i++) {
                    found.add(
                            root.getVector("_key_index").getObject(i)
                                    + ": "
                                    + root.getVector("id").getObject(i)
                                    + " "
                                    + root.getVector("region").getObject(i)
                                    + " "
                                    + root.getVector("note").getObject(i));
                }
            }
        }
        return found;
    }

    @Test
    void everyCallNeedsTheToken() {
        assertThatThrownBy(() -> client.doAction(new Action("handshake")).next())
                .isInstanceOf(FlightRuntimeException.class)
                .hasMessageContaining("TC-18 AUTHENTICATION_FAILED: the call carries no token");
        assertThatThrownBy(() -> client.doAction(new Action("handshake"), token("x")).next())
                .hasMessageContaining("the token is not this server's");
        assertThatThrownBy(() -> client.listActions().iterator().next())
                .hasMessageContaining("AUTHENTICATION_FAILED");
        assertThat(client.listActions(token(TOKEN)))
                .extracting(ActionType::getType)
                .contains("handshake", "offsets", "tier");
    }

    @Test
    void aCommandThatIsWrongIsRefusedWithAReason() {
        assertThatThrownBy(() -> client.doAction(new Action("dance"), token(TOKEN)).next())
                .hasMessageContaining("TC-1 INVALID_ARGUMENT: unknown action 'dance'");
        assertThatThrownBy(
                        () ->
                                client.doAction(
                                                new Action("offsets", "{}".getBytes()),
                                                token(TOKEN))
                                        .next())
                .hasMessageContaining("field 'database' is missing");
    }
}
