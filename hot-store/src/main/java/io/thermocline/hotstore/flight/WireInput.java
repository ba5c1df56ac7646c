package io.thermocline.hotstore.flight;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.util.function.Supplier;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.memory.OutOfMemoryException;

/** Takes apart what a client has sent. */
final class WireInput {

    private WireInput() {}

    /**
     * Runs what takes a message apart: whatever fails there is the message's fault.
     *
     * @param what the message, for the error
     * @throws HotStoreException {@code INVALID_ARGUMENT}
     */
    static <T> T read(String what, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (HotStoreException | FlightRuntimeException | OutOfMemoryException e) {
            throw e;
        } catch (RuntimeException e) {
            throw malformed(what, e);
        }
    }

    static HotStoreException malformed(String what, Throwable cause) {
        return new HotStoreException(
                ErrorCode.INVALID_ARGUMENT, what + " is malformed: " + cause, cause);
    }
}
