package io.thermocline.benchmarks.floor;

import io.thermocline.benchmarks.driver.Driver;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import io.thermocline.benchmarks.driver.Target;
import io.thermocline.benchmarks.driver.TargetTable;
import io.thermocline.hotstore.arrow.ArrowMemory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightClient.ClientStreamListener;
import org.apache.arrow.flight.FlightClient.ExchangeReaderWriter;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** One message there and back over an open Flight exchange, to a process that does nothing else. */
public final class FlightEchoTarget implements Target {

    private static final int KEY_BYTES = 8;

    private final BufferAllocator allocator = ArrowMemory.newAllocator("flight-echo");
    private final Process server;
    private final FlightClient client;

    private FlightEchoTarget() throws IOException {
        server =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx256m",
                                ArrowMemory.REQUIRED_JVM_OPTION,
                                "-cp",
                                System.getProperty("java.class.path"),
                                FlightEchoServer.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        BufferedReader output =
                new BufferedReader(
                        new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
        int port = Integer.parseInt(output.readLine());
        client =
                FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", port))
                        .build();
    }

    /** No arguments. */
    public static void main(String[] arguments) {
        Driver.run(FlightEchoTarget::new);
    }

    @Override
    public void create(String table, Shape shape, TableKey key, boolean tiered) {
        // There is nothing to be looked up.
    }

    @Override
    public void drop(String table) {
        // Nothing was created.
    }

    @Override
    public TargetTable open(String table, Shape shape, TableKey key) {
        return new Exchange();
    }

    @Override
    public void close() throws Exception {
        server.destroy();
        server.waitFor();
        client.close();
        allocator.close();
    }

    private final class Exchange implements TargetTable {

        private final ExchangeReaderWriter exchange =
                client.doExchange(FlightDescriptor.command(new byte[] {0}));
        private final VectorSchemaRoot root =
                VectorSchemaRoot.create(FlightEchoServer.schema(), allocator);
        private final byte[] key = new byte[KEY_BYTES];

        private Exchange() {
            exchange.getWriter().start(root);
        }

        @Override
        public RowWriter writer() {
            throw new UnsupportedOperationException("write");
        }

        @Override
        public CompletableFuture<Long> lookup(long number) {
            ((IntVector) root.getVector(FlightEchoServer.NUMBER)).setSafe(0, (int) number);
            ((VarBinaryVector) root.getVector(FlightEchoServer.BYTES)).setSafe(0, key);
            root.setRowCount(1);
            ClientStreamListener writer = exchange.getWriter();
            writer.putNext();
            if (!exchange.getReader().next()) {
                throw new IllegalStateException("the echo server ended the exchange");
            }
            VarBinaryVector bytes =
                    (VarBinaryVector)
                            exchange.getReader().getRoot().getVector(FlightEchoServer.BYTES);
            return CompletableFuture.completedFuture((long) bytes.get(0).length);
        }

        @Override
        public void close() throws Exception {
            exchange.getWriter().completed();
            exchange.close();
            root.close();
        }
    }
}
