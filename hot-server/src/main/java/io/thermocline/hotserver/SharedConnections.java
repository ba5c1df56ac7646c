package io.thermocline.hotserver;

import io.thermocline.hotserver.launch.EngineOptions;
import io.thermocline.hotserver.launch.ServerCommand;
import io.thermocline.hotserver.launch.ServerLauncher;
import io.thermocline.hotserver.launch.StoreRecord;
import io.thermocline.hotserver.launch.StoreRecords;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotStoreProvider.WhenStopped;
import io.thermocline.hotstore.SharedHotStore;
import io.thermocline.hotstore.flight.RemoteHotStore;
import io.thermocline.hotstore.flight.RemoteOptions;
import io.thermocline.lake.LakeCatalog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One connection per engine and JVM, closed by its last user. Thread-safe. */
final class SharedConnections {

    private static final Map<LocalEngine, Shared> OPEN = new HashMap<>(); // guarded by itself

    private SharedConnections() {}

    /** A connection and how many use it. */
    private static final class Shared {
        private int users; // guarded by OPEN
        private @Nullable LocalEndpointSource source; // guarded by this
        private @Nullable RemoteHotStore store; // guarded by this
    }

    static HotStore connect(LocalEngine engine, WhenStopped whenStopped) {
        Shared shared;
        synchronized (OPEN) {
            shared = OPEN.computeIfAbsent(engine, key -> new Shared());
            shared.users++;
        }
        boolean connected = false;
        try {
            RemoteHotStore store = connect(shared, engine, whenStopped);
            connected = true;
            return new SharedHotStore(store, () -> release(engine, shared));
        } finally {
            if (!connected) {
                release(engine, shared);
            }
        }
    }

    private static RemoteHotStore connect(
            Shared shared, LocalEngine engine, WhenStopped whenStopped) {
        boolean starts = whenStopped == WhenStopped.START && mayStart();
        synchronized (shared) {
            if (shared.store != null) {
                if (starts) {
                    shared.source.allowStart();
                }
                return shared.store;
            }
            LocalEndpointSource source = source(engine, starts, whenStopped);
            // planning must not hang: what does not answer now is not there
            Duration patience =
                    whenStopped == WhenStopped.FAIL
                            ? Duration.ZERO
                            : engine.options().retryTimeout();
            shared.store =
                    RemoteHotStore.connect(
                            source,
                            RemoteOptions.DEFAULT.withRetryTimeout(engine.options().retryTimeout()),
                            patience);
            shared.source = source;
            return shared.store;
        }
    }

    private static LocalEndpointSource source(
            LocalEngine engine, boolean starts, WhenStopped whenStopped) {
        EngineOptions options = engine.options();
        StoreRecord record;
        try (LakeCatalog lake = LakeAccess.open(engine.lake())) {
            StoreRecords records =
                    new StoreRecords(lake.warehouseFiles(), engine.lake().warehouse());
            Optional<StoreRecord> present = records.read();
            if (present.isEmpty() && !starts) {
                throw neverStarted(engine, whenStopped);
            }
            record = present.isPresent() ? present.get() : records.readOrCreate(options);
            if (options.address().isEmpty()) {
                StoreHost.check(record, records, options);
            }
        }
        ServerCommand command = new ServerCommand(engine.lake(), options, Optional.empty(), false);
        return new LocalEndpointSource(
                record,
                options,
                new ServerLauncher(command, Path.of(record.hotDirectory())),
                starts);
    }

    /**
     * A copy of the connector in a user-code class loader would start a server from a job's jar.
     */
    private static boolean mayStart() {
        return SharedConnections.class.getClassLoader() == ClassLoader.getSystemClassLoader();
    }

    private static HotStoreException neverStarted(LocalEngine engine, WhenStopped whenStopped) {
        String why =
                whenStopped == WhenStopped.START && !mayStart()
                        ? "this copy of the connector was loaded from a job's own jars, which never"
                                + " start one. Put the connector jar into Flink's lib directory, or"
                                + " run './thermocline server start'"
                        : "it is started by the first job that uses the warehouse, or by"
                                + " './thermocline server start'";
        return new HotStoreException(
                ErrorCode.STORE_UNREACHABLE,
                "no hot store was ever started for warehouse "
                        + engine.lake().warehouse()
                        + ": "
                        + why);
    }

    private static void release(LocalEngine engine, Shared shared) {
        synchronized (OPEN) {
            if (--shared.users > 0) {
                return;
            }
            OPEN.remove(engine, shared);
        }
        synchronized (shared) {
            if (shared.store != null) {
                shared.store.close();
            }
        }
    }
}
