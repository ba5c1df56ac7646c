package io.thermocline.hotstore.flight;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.arrow.ArrowMemory;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Result;
import org.apache.arrow.memory.BufferAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProtocolVersionTest {

    private static final int OTHER = FlightProtocol.VERSION + 1;

    @Test
    void aServerOfAnotherReleaseIsRefusedAtOnceWithTheWayOut() throws Exception {
        try (BufferAllocator allocator = ArrowMemory.newAllocator("other-release");
                FlightServer server =
                        FlightServer.builder(
                                        allocator,
                                        Location.forGrpcInsecure("127.0.0.1", 0),
                                        new OtherRelease())
                                .build()
                                .start()) {
            Endpoint endpoint =
                    new Endpoint("127.0.0.1", server.getPort(), "token", "a-store", 1, 1, null);
            assertThatThrownBy(
                            () ->
                                    RemoteHotStore.connect(
                                            EndpointSource.of(endpoint), RemoteOptions.DEFAULT))
                    .hasMessage(
                            "UNSUPPORTED_FORMAT_VERSION: the server at "
                                    + endpoint
                                    + " speaks protocol version "
                                    + OTHER
                                    + ", this client version "
                                    + FlightProtocol.VERSION
                                    + ": they are of different Thermocline releases. Stop the"
                                    + " server with './thermocline server stop' (its next use"
                                    + " starts one of this release), or use the server's release"
                                    + " here");
        }
    }

    /** Greets as a server with another protocol version does. */
    private static final class OtherRelease extends NoOpFlightProducer {

        @Override
        public void doAction(CallContext context, Action action, StreamListener<Result> listener) {
            listener.onNext(
                    new Result(
                            WireJson.bytes(
                                    WireJson.object()
                                            .put("protocolVersion", OTHER)
                                            .put("storeId", "a-store")
                                            .put("epoch", 1))));
            listener.onCompleted();
        }
    }
}
