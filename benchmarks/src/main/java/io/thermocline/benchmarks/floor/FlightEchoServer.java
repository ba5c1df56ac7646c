package io.thermocline.benchmarks.floor;

import io.thermocline.hotstore.arrow.ArrowMemory;
import java.io.IOException;
import java.util.List;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Answers every message of a Flight exchange with a row of fixed bytes: a lookup without the
 * lookup. Prints its port and runs until standard input ends.
 */
public final class FlightEchoServer {

    static final String NUMBER = "number";
    static final String BYTES = "bytes";

    /** Bytes of a narrow row as a lookup answers it. */
    private static final int ROW_BYTES = 120;

    private FlightEchoServer() {}

    /** A number and some bytes, as both sides send them. */
    static Schema schema() {
        return new Schema(
                List.of(
                        Field.nullable(NUMBER, new ArrowType.Int(Integer.SIZE, true)),
                        Field.nullable(BYTES, ArrowType.Binary.INSTANCE)));
    }

    /** No arguments. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (BufferAllocator allocator = ArrowMemory.newAllocator("flight-echo");
                FlightServer server =
                        FlightServer.builder(
                                        allocator,
                                        Location.forGrpcInsecure("127.0.0.1", 0),
                                        new Echo(allocator))
                                .build()
                                .start()) {
            System.out.println(server.getPort());
            while (System.in.read() >= 0) {
                // Until the parent ends.
            }
            // a stream that the parent left open would keep this process
            System.exit(0);
        }
    }

    private static final class Echo extends NoOpFlightProducer {

        private final BufferAllocator allocator;

        private Echo(BufferAllocator allocator) {
            this.allocator = allocator;
        }

        @Override
        public void doExchange(
                CallContext context, FlightStream reader, ServerStreamListener writer) {
            byte[] row = new byte[ROW_BYTES];
            try (VectorSchemaRoot root = VectorSchemaRoot.create(schema(), allocator)) {
                writer.start(root);
                while (reader.next()) {
                    ((IntVector) root.getVector(NUMBER)).setSafe(0, 0);
                    ((VarBinaryVector) root.getVector(BYTES)).setSafe(0, row);
                    root.setRowCount(1);
                    writer.putNext();
                }
                writer.completed();
            }
        }
    }
}
