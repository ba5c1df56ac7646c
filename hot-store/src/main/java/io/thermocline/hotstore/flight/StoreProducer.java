package io.thermocline.hotstore.flight;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.ActionType;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps Flight calls to the store. Streams run on threads of their own, never in gRPC's callback.
 */
final class StoreProducer extends NoOpFlightProducer {

    private static final Logger LOG = LoggerFactory.getLogger(StoreProducer.class);

    private final OpenTables tables;
    private final StoreActions actions;
    private final BufferAllocator allocator;
    private final ExecutorService streams;
    private final ByteBudget appendBudget;
    private final CallGuard guard;

    StoreProducer(
            OpenTables tables,
            StoreActions actions,
            ExecutorService streams,
            BufferAllocator allocator,
            CallLimits limits) {
        this.tables = tables;
        this.actions = actions;
        this.streams = streams;
        this.allocator = allocator;
        this.appendBudget = limits.appendBudget();
        this.guard = limits.guard();
    }

    /** What calls are held to. */
    record CallLimits(ByteBudget appendBudget, CallGuard guard) {}

    @Override
    public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
        JsonNode command = command(ticket.getBytes());
        String name = WireJson.text(command, FlightProtocol.COMMAND);
        switch (name) {
            case FlightProtocol.SCAN -> {
                ScanStream stream = new ScanStream(listener, allocator);
                serve(
                        listener,
                        () -> {
                            HotTable table = tables.get(TableAddress.read(command));
                            stream.run(table, ScanStream.scan(command, table));
                        });
            }
            case FlightProtocol.SNAPSHOT_SCAN -> {
                SnapshotStream stream = new SnapshotStream(listener, allocator);
                serve(
                        listener,
                        () -> stream.run(actions.table(command), actions.attach(command), command));
            }
            default -> throw failure(unknown(name));
        }
    }

    @Override
    public void doExchange(CallContext context, FlightStream reader, ServerStreamListener writer) {
        try {
            JsonNode command = command(WireExchange.descriptor(reader));
            String name = WireJson.text(command, FlightProtocol.COMMAND);
            HotTable table = tables.get(TableAddress.read(command));
            switch (name) {
                case FlightProtocol.APPEND -> {
                    checkSchemaVersion(command, table.spec());
                    new AppendExchange(table, writer, allocator, appendBudget).run(reader);
                }
                case FlightProtocol.LOOKUP_BINARY ->
                        new LookupExchange(table, command, writer, allocator).run(reader);
                case FlightProtocol.LOOKUP ->
                        new ColumnLookupExchange(table, command, writer, allocator).run(reader);
                default -> throw unknown(name);
            }
        } catch (Throwable t) {
            end(writer, t);
        }
    }

    @Override
    public void doAction(CallContext context, Action action, StreamListener<Result> listener) {
        try {
            listener.onNext(new Result(actions.run(action.getType(), action.getBody())));
            listener.onCompleted();
        } catch (Throwable t) {
            listener.onError(failure(t));
        }
    }

    @Override
    public void listActions(CallContext context, StreamListener<ActionType> listener) {
        StoreActions.DESCRIPTIONS.forEach(
                action -> listener.onNext(new ActionType(action[0], action[1])));
        listener.onCompleted();
    }

    /** One endpoint per bucket of a scan; the command may leave the bucket out. */
    @Override
    public FlightInfo getFlightInfo(CallContext context, FlightDescriptor descriptor) {
        try {
            JsonNode command = command(descriptor);
            HotTableSpec spec = tables.get(TableAddress.read(command)).spec();
            List<String> projection =
                    command.hasNonNull("projection")
                            ? WireJson.texts(command, "projection")
                            : spec.rowType().getFieldNames();
            List<FlightEndpoint> endpoints = new ArrayList<>();
            for (int bucket = 0; bucket < spec.bucketCount(); bucket++) {
                if (!command.hasNonNull("bucket") || WireJson.number(command, "bucket") == bucket) {
                    ObjectNode ticket = command.deepCopy();
                    ticket.put("bucket", bucket);
                    endpoints.add(
                            new FlightEndpoint(
                                    new Ticket(WireJson.bytes(ticket)),
                                    Location.reuseConnection()));
                }
            }
            return new FlightInfo(
                    WireBatch.schema(WireBatch.project(spec.rowType(), projection)),
                    descriptor,
                    endpoints,
                    -1,
                    -1);
        } catch (RuntimeException e) {
            throw failure(e);
        }
    }

    private void serve(ServerStreamListener listener, Streaming streaming) {
        streams.execute(
                () -> {
                    try {
                        streaming.run();
                    } catch (Throwable t) {
                        end(listener, t);
                    }
                });
    }

    private void end(ServerStreamListener listener, Throwable failure) {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        synchronized (listener) {
            if (!listener.isCancelled()) {
                listener.error(failure(failure));
            } else if (failure instanceof Error || LOG.isDebugEnabled()) {
                LOG.warn("a cancelled stream failed", failure);
            }
        }
    }

    /** While the store closes, whatever fails is a reason to try again later. */
    private RuntimeException failure(Throwable failure) {
        HotStoreException error = WireErrors.toHotStore(failure);
        if (guard.isStopping()) {
            return WireErrors.toFlight(
                    new HotStoreException(
                            ErrorCode.STORE_UNREACHABLE, "the server is shutting down", error));
        }
        if (error.code().kind() == ErrorCode.Kind.INTERNAL) {
            LOG.error("a call failed", error);
        }
        return WireErrors.toFlight(error);
    }

    private static JsonNode command(@Nullable FlightDescriptor descriptor) {
        if (descriptor == null || !descriptor.isCommand()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a call needs a descriptor with a command, not " + descriptor);
        }
        return WireJson.parse(descriptor.getCommand());
    }

    private JsonNode command(byte[] bytes) {
        try {
            return WireJson.parse(bytes);
        } catch (HotStoreException e) {
            throw failure(e);
        }
    }

    private static void checkSchemaVersion(JsonNode command, HotTableSpec spec) {
        long version = WireJson.number(command, "schemaVersion");
        if (version != spec.schemaVersion()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "rows for schema version "
                            + version
                            + " cannot be appended to "
                            + spec.path()
                            + ", which has schema version "
                            + spec.schemaVersion()
                            + ". Start the job again so that it is planned with the new schema");
        }
    }

    private static HotStoreException unknown(String command) {
        return new HotStoreException(
                ErrorCode.INVALID_ARGUMENT, "unknown command '" + command + "'");
    }

    /** A stream that is served until its end. */
    private interface Streaming {
        void run() throws Exception;
    }
}
