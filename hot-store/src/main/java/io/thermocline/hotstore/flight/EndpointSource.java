package io.thermocline.hotstore.flight;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Finds the endpoint of a hot store, again after every failure. Thread-safe. */
public interface EndpointSource {

    /**
     * The endpoint as it is known now. May start the store.
     *
     * @param failed the endpoint that did not answer, if there was one
     * @param timeout how long to wait at most for a store that is starting
     * @throws io.thermocline.hotstore.HotStoreException {@code STORE_UNREACHABLE} if there is none
     *     yet (asking again may help); any other code is final
     */
    Endpoint locate(@Nullable Endpoint failed, Duration timeout);

    /** Host and directory of the store, for messages. */
    String describe();

    /** A source that always gives the same endpoint. */
    static EndpointSource of(Endpoint endpoint) {
        return new EndpointSource() {
            @Override
            public Endpoint locate(@Nullable Endpoint failed, Duration timeout) {
                return endpoint;
            }

            @Override
            public String describe() {
                return endpoint.toString();
            }
        };
    }
}
