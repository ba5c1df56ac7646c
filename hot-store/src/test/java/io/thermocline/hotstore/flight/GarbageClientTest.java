package io.thermocline.hotstore.flight;

import static io.thermocline.hotstore.flight.FlightFixture.PATH;
import static io.thermocline.hotstore.flight.FlightFixture.SPEC;
import static io.thermocline.hotstore.flight.FlightFixture.TABLE_ID;
import static io.thermocline.hotstore.flight.FlightFixture.TOKEN;
import static io.thermocline.hotstore.flight.FlightFixture.key;
import static io.thermocline.hotstore.flight.FlightFixture.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatches;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.flink.types.RowKind;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that send nonsense: they are told, the server stays up, and others are served. */
@Timeout(600)
class GarbageClientTest {

    private static final boolean FULL = Boolean.getBoolean("thermocline.test.full");
    private static final int ROUNDS =
            Integer.getInteger("thermocline.garbage.rounds", FULL ? 20_000 : 10);

    private static final int ROUNDED_UP = 4;

    @TempDir Path directory;
    private long memoryBefore;
    private FlightFixture fixture;
    private RemoteHotStore good;
    private HotTable table;
    private BufferAllocator allocator;
    private FlightClient client;
    private long sequence;

    /** Bodies of messages that Flight may have failed to take apart: it does not free them. */
    private long unreadableBytes;

    private final UUID writer = UUID.randomUUID();

    @BeforeEach
    void connect() {
        memoryBefore = ArrowMemory.root().getAllocatedMemory();
        fixture = new FlightFixture(directory.resolve("hot"));
        good = fixture.connect(Duration.ofSeconds(20));
        table = good.openTable(PATH, TABLE_ID);
        allocator = ArrowMemory.newAllocator("garbage");
        client =
                FlightClient.builder(
                                allocator,
                                Location.forGrpcInsecure("127.0.0.1", fixture.server().port()))
                        .build();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        checkServed();
        table.close();
        good.close();
        client.close();
        allocator.close();
        Awaitility.await().until(() -> fixture.server().openCalls() == 0);
        fixture.close();
        assertThat(ArrowMemory.root().getAllocatedMemory())
                .isBetween(memoryBefore, memoryBefore + ROUNDED_UP * unreadableBytes);
    }

    /** A good client writes and reads. */
    private void checkServed() throws Exception {
        long id = sequence;
        fixture.append(table, 0, writer, sequence++, row(RowKind.INSERT, id, "eu", "n" + id))
                .get(60, TimeUnit.SECONDS);
        assertThat(
                        FlightFixture.texts(
                                table.lookup(
                                                new LookupRequest(
                                                        new int[1],
                                                        List.of(key(id, "eu")),
                                                        false,
                                                        SPEC.rowType().getFieldNames()))
                                        .get(60, TimeUnit.SECONDS)
                                        .rows()))
                .containsExactly(List.of("+I[" + id + ", eu, n" + id + "]"));
    }

    private static CallOption token() {
        FlightCallHeaders headers = new FlightCallHeaders();
        headers.insert("authorization", "Bearer " + TOKEN);
        return new HeaderCallOption(headers);
    }

    private static ObjectNode command(String name) {
        return TableAddress.of(PATH, TABLE_ID).command().put("command", name);
    }

    @Test
    void randomBytesOnThePort() throws Exception {
        Random random = new Random(5);
        for (int i = 0; i < 9; i++) {
            byte[] bytes = new byte[1 + random.nextInt(5000)];
            random.nextBytes(bytes);
            if (i % 3 == 0) {
                byte[] preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes();
                System.arraycopy(preface, 0, bytes, 0, Math.min(preface.length, bytes.length));
            }
            try (Socket socket = new Socket("127.0.0.1", fixture.server().port());
                    OutputStream out = socket.getOutputStream()) {
                out.write(bytes);
                out.flush();
            } catch (SocketException e) {
                assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe|closed).*");
            }
        }
        checkServed();
    }

    private void assertRefused(String type, String body, String message) {
        assertThatThrownBy(() -> client.doAction(new Action(type, body.getBytes()), token()).next())
                .as(type + " " + body)
                .hasMessageContaining("TC-1 INVALID_ARGUMENT: ")
                .hasMessageContaining(message);
    }

    private void assertRefused(String type, ObjectNode body, String message) {
        assertRefused(type, body.toString(), message);
    }

    @Test
    void actionsThatMakeNoSense() {
        ObjectNode here = TableAddress.of(PATH, TABLE_ID).command();
        assertRefused("status", "", "field 'database' is missing");
        assertRefused("status", "[1, 2]", "must be a JSON object");
        assertRefused("status", "\u0000\u0001{", "must be a JSON object");
        assertRefused("status", here.deepCopy().put("database", " "), "'database'");
        assertRefused("status", here.deepCopy().put("table", ""), "'table'");
        assertRefused("status", here.deepCopy().put("tableId", "x"), "no UUID");
        assertRefused("offsets", here.deepCopy().put("position", "middle"), "unknown position");
        assertRefused("begin-writer", here.deepCopy().put("writerId", "me"), "must be a UUID");
        ObjectNode lease =
                here.deepCopy()
                        .put("holder", "x")
                        .put("lakeSnapshotId", 1)
                        .put("maxAgeMillis", 1000)
                        .put("bounded", true);
        ObjectNode named = lease.deepCopy();
        named.putObject("fromOffsets").put("zero", 1);
        assertRefused("acquire-lease", named, "'fromOffsets'");
        ObjectNode outside = lease.deepCopy();
        outside.putObject("fromOffsets").put("7", 1);
        assertRefused("acquire-lease", outside, "buckets 0 to 1, not 7");
        ObjectNode below = lease.deepCopy();
        below.putObject("fromOffsets").put("0", -4);
        assertThatThrownBy(
                        () ->
                                client.doAction(
                                                new Action(
                                                        "acquire-lease",
                                                        below.toString().getBytes()),
                                                token())
                                        .next())
                .hasMessageContaining("OFFSET_OUT_OF_RANGE");
        ObjectNode old = lease.deepCopy().put("maxAgeMillis", -1);
        old.putObject("fromOffsets").put("0", 0);
        assertRefused("acquire-lease", old, "positive maximum age");
        ObjectNode text = lease.deepCopy();
        text.putObject("fromOffsets").put("0", "many");
        assertRefused("acquire-lease", text, "'fromOffsets'");
        assertRefused("open-snapshot", here.deepCopy().put("maxIdleMillis", -1), "maxIdleMillis");
        assertRefused("open-snapshot", here.deepCopy().put("maxIdleMillis", "x"), "whole number");
        ObjectNode report = here.deepCopy();
        report.putObject("tieredOffsets").put("-1", 5);
        assertRefused("report-tiered-offsets", report, "not -1");
        ObjectNode negative = here.deepCopy();
        negative.putObject("tieredOffsets").put("0", -5);
        assertRefused("report-tiered-offsets", negative, "-5");
        assertRefused("report-reads", here.deepCopy().put("figures", 5), "ReadFigures");
        assertRefused("release-leases", here.deepCopy().put("leaseIds", 5), "'leaseIds'");
        assertRefused("drop-table", "{\"tableId\": \"x\"}", "no UUID");
    }

    private void assertNoStream(ObjectNode ticket, String message) {
        assertThatThrownBy(
                        () -> {
                            try (var stream =
                                    client.getStream(new Ticket(WireJson.bytes(ticket)), token())) {
                                while (stream.next()) {
                                    assertThat(stream.getRoot().getRowCount()).isZero();
                                }
                            }
                        })
                .as(ticket.toString())
                .hasMessageContaining(message);
    }

    @Test
    void scansThatMakeNoSense() {
        ObjectNode scan = command("scan").put("bucket", 0).put("startOffset", 0);
        assertNoStream(command("scan"), "TC-1 INVALID_ARGUMENT: field 'bucket' is missing");
        assertNoStream(scan.deepCopy().put("bucket", 1L << 32), "TC-1 INVALID_ARGUMENT");
        assertNoStream(scan.deepCopy().put("bucket", -1), "TC-1 INVALID_ARGUMENT");
        assertNoStream(scan.deepCopy().put("startOffset", -1), "OFFSET_OUT_OF_RANGE");
        assertNoStream(scan.deepCopy().put("startOffset", 99), "OFFSET_OUT_OF_RANGE");
        assertNoStream(scan.deepCopy().put("projection", "id"), "TC-1 INVALID_ARGUMENT");
        ObjectNode unknown = scan.deepCopy();
        unknown.putArray("projection").add("nothing");
        assertNoStream(unknown, "'nothing'");
        ObjectNode filter = scan.deepCopy();
        filter.putObject("skipFilter").put("op", "EQ").put("column", "id");
        assertNoStream(filter, "field 'value' is missing");
        ObjectNode literal = scan.deepCopy();
        literal.putObject("skipFilter")
                .put("op", "EQ")
                .put("column", "id")
                .putObject("value")
                .put("bytes", "%%%");
        assertNoStream(literal, "TC-1 INVALID_ARGUMENT");
        ObjectNode decimal = scan.deepCopy();
        decimal.putObject("skipFilter")
                .put("op", "EQ")
                .put("column", "id")
                .putObject("value")
                .putArray("decimal")
                .add("AA==");
        assertNoStream(decimal, "TC-1 INVALID_ARGUMENT");
        assertNoStream(command("dance"), "TC-1 INVALID_ARGUMENT: unknown command 'dance'");
        ObjectNode snapshot = command("snapshot-scan").put("snapshotId", "x").put("bucket", 0);
        snapshot.putArray("projection");
        assertNoStream(snapshot, "SNAPSHOT_NOT_FOUND");
        assertThatThrownBy(() -> client.getInfo(FlightDescriptor.path("a", "b"), token()))
                .hasMessageContaining("TC-1 INVALID_ARGUMENT");
    }

    /** Sends messages on an exchange stream; what the server says to them at its end. */
    private io.grpc.Status exchange(ManagedChannel channel, List<Flight.FlightData> messages)
            throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        io.grpc.Status[] status = {io.grpc.Status.OK};
        List<String> refusals = new ArrayList<>();
        Metadata headers = new Metadata();
        headers.put(CallGuard.AUTHORIZATION, CallGuard.header(TOKEN));
        var call =
                io.grpc.ClientInterceptors.intercept(
                                channel, MetadataUtils.newAttachHeadersInterceptor(headers))
                        .newCall(FlightServiceGrpc.getDoExchangeMethod(), CallOptions.DEFAULT);
        StreamObserver<Flight.FlightData> out =
                ClientCalls.asyncBidiStreamingCall(
                        call,
                        new StreamObserver<>() {
                            @Override
                            public void onNext(Flight.FlightData data) {
                                byte[] answer = data.getAppMetadata().toByteArray();
                                if (answer.length > Long.BYTES + Integer.BYTES) {
                                    refusals.add(new String(answer));
                                }
                            }

                            @Override
                            public void onError(Throwable failure) {
                                status[0] = io.grpc.Status.fromThrowable(failure);
                                ended.countDown();
                            }

                            @Override
                            public void onCompleted() {
                                ended.countDown();
                            }
                        });
        try {
            messages.forEach(out::onNext);
            out.onCompleted();
        } catch (IllegalStateException e) {
            // The server has ended the call already.
            assertThat(e).hasMessageContaining("call");
        }
        assertThat(ended.await(60, TimeUnit.SECONDS)).as("the server ends the call").isTrue();
        return refusals.isEmpty() || !status[0].isOk()
                ? status[0]
                : io.grpc.Status.UNKNOWN.withDescription(refusals.get(0));
    }

    private static Flight.FlightDescriptor descriptor(ObjectNode command) {
        return Flight.FlightDescriptor.newBuilder()
                .setType(Flight.FlightDescriptor.DescriptorType.CMD)
                .setCmd(ByteString.copyFrom(WireJson.bytes(command)))
                .build();
    }

    private List<Flight.FlightData> appendOf(long batchSequence) throws IOException {
        WriterEpoch other = WriterEpoch.unfenced(UUID.randomUUID());
        byte[] request = new AppendMessage.Request(1, 0, other, batchSequence).toBytes();
        try (RowBatch rows =
                        RowBatches.of(
                                SPEC.rowType(),
                                List.of(
                                        row(RowKind.INSERT, -1, "eu", "garbage"),
                                        row(RowKind.DELETE, -2, "us", null)),
                                allocator);
                VectorSchemaRoot root = WireBatch.root(SPEC.rowType(), allocator)) {
            WireBatch.load(rows, root, allocator);
            return messages(command("append").put("schemaVersion", 0), root, request);
        }
    }

    private List<Flight.FlightData> lookupOf(byte[] request) throws IOException {
        try (VectorSchemaRoot root = WireLookups.requestRoot(allocator)) {
            ((org.apache.arrow.vector.IntVector) root.getVector("bucket")).setSafe(0, 0);
            ((org.apache.arrow.vector.VarBinaryVector) root.getVector("key"))
                    .setSafe(0, key(0, "eu"));
            root.setRowCount(1);
            ObjectNode command = command("lookup-binary").put("prefix", false);
            command.putArray("projection").add("id");
            return messages(command, root, request);
        }
    }

    private static List<Flight.FlightData> messages(
            ObjectNode command, VectorSchemaRoot root, byte[] metadata) throws IOException {
        java.io.ByteArrayOutputStream body = new java.io.ByteArrayOutputStream();
        ByteBuffer header;
        try (ArrowRecordBatch batch = new VectorUnloader(root).getRecordBatch()) {
            header = MessageSerializer.serializeMetadata(batch, IpcOption.DEFAULT);
            MessageSerializer.writeBatchBuffers(new WriteChannel(Channels.newChannel(body)), batch);
        }
        return List.of(
                Flight.FlightData.newBuilder()
                        .setFlightDescriptor(descriptor(command))
                        .setDataHeader(
                                ByteString.copyFrom(
                                        MessageSerializer.serializeMetadata(
                                                root.getSchema(), IpcOption.DEFAULT)))
                        .build(),
                Flight.FlightData.newBuilder()
                        .setDataHeader(ByteString.copyFrom(header))
                        .setAppMetadata(ByteString.copyFrom(metadata))
                        .setDataBody(ByteString.copyFrom(body.toByteArray()))
                        .build());
    }

    private ManagedChannel channel() {
        return ManagedChannelBuilder.forAddress("127.0.0.1", fixture.server().port())
                .usePlaintext()
                .build();
    }

    private static Flight.FlightData withMetadata(Flight.FlightData message, int bytes) {
        return message.toBuilder().setAppMetadata(ByteString.copyFrom(new byte[bytes])).build();
    }

    @Test
    void exchangesThatMakeNoSense() throws Exception {
        ManagedChannel channel = channel();
        List<Flight.FlightData> append = appendOf(0);
        List<Flight.FlightData> lookup = lookupOf(LookupAnswer.request(3));
        assertInvalid(exchange(channel, List.of(append.get(0), withMetadata(append.get(1), 3))));
        assertInvalid(exchange(channel, List.of(append.get(0), withMetadata(append.get(1), 0))));
        assertInvalid(exchange(channel, List.of(lookup.get(0), withMetadata(lookup.get(1), 3))));
        assertInvalid(exchange(channel, List.of(swapCommand(append, lookup), append.get(1))));
        assertInvalid(exchange(channel, List.of(swapCommand(lookup, append), lookup.get(1))));
        assertInvalid(
                exchange(
                        channel,
                        List.of(
                                append.get(0).toBuilder()
                                        .setFlightDescriptor(
                                                Flight.FlightDescriptor.newBuilder()
                                                        .setType(
                                                                Flight.FlightDescriptor
                                                                        .DescriptorType.PATH)
                                                        .addPath("x"))
                                        .build())));
        if (FULL) {
            assertThat(exchange(channel, List.of(append.get(1))).getDescription())
                    .contains("did not say what it is for within 30 s");
        }
        assertThat(exchange(channel, appendOf(-3)).getDescription()).contains("OUT_OF_SEQUENCE");
        channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS);
    }

    private static Flight.FlightData swapCommand(
            List<Flight.FlightData> schemaOf, List<Flight.FlightData> commandOf) {
        return schemaOf.get(0).toBuilder()
                .setFlightDescriptor(commandOf.get(0).getFlightDescriptor())
                .build();
    }

    private static void assertInvalid(io.grpc.Status status) {
        assertThat(status.getDescription()).contains("INVALID_ARGUMENT");
    }

    /** Any bytes of valid messages changed, cut or repeated. */
    @Test
    void brokenArrowMessages() throws Exception {
        Random random = new Random(11);
        ManagedChannel channel = channel();
        List<List<Flight.FlightData>> valid =
                List.of(appendOf(0), lookupOf(LookupAnswer.request(3)));
        for (int round = 0; round < ROUNDS; round++) {
            List<Flight.FlightData> messages =
                    new ArrayList<>(valid.get(random.nextInt(valid.size())));
            int which = random.nextInt(messages.size());
            messages.set(
                    which,
                    which == 0
                            ? brokenHeader(messages.get(0), random)
                            : broken(messages.get(which), random));
            exchange(channel, messages);
            for (Flight.FlightData message : messages) {
                unreadableBytes += message.getDataBody().size() + message.getAppMetadata().size();
            }
            if (round % 50 == 0) {
                checkServed();
            }
        }
        channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS);
    }

    private static Flight.FlightData broken(Flight.FlightData message, Random random) {
        Flight.FlightData.Builder builder = message.toBuilder();
        return switch (random.nextInt(4)) {
            case 0 -> brokenHeader(message, random);
            case 1, 2 -> builder.setDataBody(broken(message.getDataBody(), random)).build();
            default -> builder.setAppMetadata(broken(message.getAppMetadata(), random)).build();
        };
    }

    private static Flight.FlightData brokenHeader(Flight.FlightData message, Random random) {
        return message.toBuilder().setDataHeader(broken(message.getDataHeader(), random)).build();
    }

    private static ByteString broken(ByteString good, Random random) {
        byte[] bytes = good.toByteArray();
        int kind = random.nextInt(4);
        if (kind == 0 || bytes.length == 0) {
            return ByteString.copyFrom(bytes, 0, random.nextInt(bytes.length + 1));
        }
        if (kind == 1) {
            return good.concat(ByteString.copyFrom(new byte[1 + random.nextInt(100)]));
        }
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            bytes[random.nextInt(bytes.length)] = kind == 2 ? (byte) 0xff : (byte) random.nextInt();
        }
        return ByteString.copyFrom(bytes);
    }
}
