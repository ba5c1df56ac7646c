package io.thermocline.hotstore.flight;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import org.apache.arrow.flight.FlightStream;

/** Reading of exchange streams on the serving side. */
final class WireExchange {

    private WireExchange() {}

    /** Metadata of the message just read. */
    static byte[] metadata(FlightStream requests) {
        byte[] metadata = WireBuffers.metadata(requests);
        if (metadata == null) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a message on an exchange stream must carry a request id in its metadata");
        }
        return metadata;
    }
}
