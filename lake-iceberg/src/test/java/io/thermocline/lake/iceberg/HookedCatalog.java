package io.thermocline.lake.iceberg;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/** A catalog in which others can commit at the last moment before a commit. */
public final class HookedCatalog extends LocalHadoopCatalog {

    private record Hook(Runnable others, AtomicInteger times) {}

    private static final AtomicReference<Hook> HOOK = new AtomicReference<>();

    /**
     * Lets others act just before each of the next commits; what they commit themselves does not
     * count.
     */
    static void beforeCommits(int times, Runnable others) {
        HOOK.set(new Hook(others, new AtomicInteger(times)));
    }

    private static void run() {
        Hook hook = HOOK.getAndSet(null);
        if (hook != null) {
            hook.others().run();
            if (hook.times().decrementAndGet() > 0) {
                HOOK.set(hook);
            }
        }
    }

    @Override
    protected TableOperations newTableOps(TableIdentifier identifier) {
        return new Operations(super.newTableOps(identifier));
    }

    private record Operations(TableOperations operations) implements TableOperations {

        @Override
        public TableMetadata current() {
            return operations.current();
        }

        @Override
        public TableMetadata refresh() {
            return operations.refresh();
        }

        @Override
        public void commit(TableMetadata base, TableMetadata metadata) {
            run();
            operations.commit(base, metadata);
        }

        @Override
        public FileIO io() {
            return operations.io();
        }

        @Override
        public EncryptionManager encryption() {
            return operations.encryption();
        }

        @Override
        public String metadataFileLocation(String fileName) {
            return operations.metadataFileLocation(fileName);
        }

        @Override
        public LocationProvider locationProvider() {
            return operations.locationProvider();
        }
    }
}
