package io.thermocline.hotstore.flight;

import io.grpc.Status;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.jspecify.annotations.Nullable;

/**
 * Carries {@link HotStoreException}s over Flight: the status message is {@code TC-<number> <code>:
 * <message>}. A status without that form comes from the transport.
 */
final class WireErrors {

    /** gRPC puts the message into a header, which is bounded. */
    private static final int MAX_MESSAGE_LENGTH = 3000;

    private static final Pattern FORM =
            Pattern.compile("TC-(\\d+) (?:[A-Z_]+: )?(.*)", Pattern.DOTALL);

    private WireErrors() {}

    /** Says that the transport failed, so that the call may be tried again elsewhere. */
    static final class ConnectionLost extends RuntimeException {

        private static final long serialVersionUID = 1L;

        ConnectionLost(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** What a failed call is answered with. */
    static FlightRuntimeException toFlight(Throwable failure) {
        HotStoreException error = toHotStore(failure);
        return status(error.code())
                .withDescription(description(error))
                .withCause(error)
                .toRuntimeException();
    }

    /** The gRPC status of an error, for answers below Flight. */
    static Status toGrpc(HotStoreException error) {
        Status status =
                switch (error.code()) {
                    case AUTHENTICATION_FAILED -> Status.UNAUTHENTICATED;
                    case INVALID_ARGUMENT -> Status.INVALID_ARGUMENT;
                    default -> Status.UNAVAILABLE;
                };
        return status.withDescription(description(error));
    }

    static HotStoreException toHotStore(Throwable failure) {
        Throwable cause = unwrap(failure);
        if (cause instanceof HotStoreException error) {
            return error;
        }
        return new HotStoreException(
                ErrorCode.INTERNAL, "the hot store's service failed: " + cause, cause);
    }

    /**
     * What a failure of a Flight call means to the client.
     *
     * @return a {@link HotStoreException} that the store answered, or {@link ConnectionLost}
     */
    static RuntimeException fromFlight(Throwable failure) {
        Throwable cause = unwrap(failure);
        if (cause instanceof HotStoreException || cause instanceof ConnectionLost) {
            return (RuntimeException) cause;
        }
        for (Throwable t = cause; t != null; t = t.getCause()) {
            if (t instanceof FlightRuntimeException flight) {
                return fromStatus(flight);
            }
        }
        return new ConnectionLost(String.valueOf(cause), cause);
    }

    /** The error that a number and message on a stream stand for. */
    static HotStoreException fromNumber(int number, String message) {
        ErrorCode code = ErrorCode.ofNumber(number);
        String prefix = code + ": ";
        return new HotStoreException(
                code, message.startsWith(prefix) ? message.substring(prefix.length()) : message);
    }

    private static RuntimeException fromStatus(FlightRuntimeException flight) {
        String description = flight.status().description();
        Matcher form = FORM.matcher(description == null ? "" : description);
        if (form.find()) {
            ErrorCode code = ErrorCode.ofNumber(Integer.parseInt(form.group(1)));
            return code == ErrorCode.STORE_UNREACHABLE
                    ? new ConnectionLost(form.group(2), flight)
                    : new HotStoreException(code, form.group(2), flight);
        }
        FlightStatusCode status = flight.status().code();
        if (status == FlightStatusCode.UNIMPLEMENTED
                || status == FlightStatusCode.INVALID_ARGUMENT) {
            return new HotStoreException(
                    ErrorCode.INTERNAL, "the hot store refused the call: " + description, flight);
        }
        return new ConnectionLost(status + ": " + description, flight);
    }

    /** The message of a failure, with that of its innermost cause. */
    static String describe(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String message = String.valueOf(failure.getMessage());
        String reason = root.getMessage();
        return reason == null || message.contains(reason) ? message : message + ": " + reason;
    }

    private static String description(HotStoreException error) {
        String message = error.getMessage();
        return "TC-"
                + error.code().number()
                + " "
                + (message.length() > MAX_MESSAGE_LENGTH
                        ? message.substring(0, MAX_MESSAGE_LENGTH) + "…"
                        : message);
    }

    private static CallStatus status(ErrorCode code) {
        return switch (code) {
            case TABLE_NOT_FOUND, SNAPSHOT_NOT_FOUND, LEASE_NOT_FOUND -> CallStatus.NOT_FOUND;
            case AUTHENTICATION_FAILED -> CallStatus.UNAUTHENTICATED;
            case STORE_UNREACHABLE -> CallStatus.UNAVAILABLE;
            default ->
                    code.kind() == ErrorCode.Kind.USER
                            ? CallStatus.INVALID_ARGUMENT
                            : CallStatus.INTERNAL;
        };
    }

    private static Throwable unwrap(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
