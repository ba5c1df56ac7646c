package io.thermocline.lake.paimon;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.local.LocalFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.paimon.Snapshot;
import org.apache.paimon.catalog.SnapshotCommit;
import org.apache.paimon.options.Options;
import org.apache.paimon.partition.PartitionStatistics;
import org.apache.paimon.table.CatalogEnvironment;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.utils.SnapshotManager;

/**
 * Creates a snapshot on a condition. Paimon gives a commit the next snapshot id and calls this as
 * its last step; since only one process can create the snapshot of an id, a condition that holds
 * for the snapshots below it holds for the commit.
 *
 * <p>Paimon itself looks whether the file exists and then renames, which two processes on one local
 * file system can both do; here the file is created by a hard link.
 */
final class SnapshotCreation implements SnapshotCommit {

    /** What must be true of the snapshots below the new one. */
    @FunctionalInterface
    interface Condition {

        /**
         * Throws if it does not hold.
         *
         * @param previousId id of the snapshot that the commit is built on; 0 if there is none
         */
        void check(long previousId);
    }

    private final Condition condition;
    private final SnapshotManager manager;
    private final SnapshotCommit delegate;

    private SnapshotCreation(
            Condition condition, SnapshotManager manager, SnapshotCommit delegate) {
        this.condition = condition;
        this.manager = manager;
        this.delegate = delegate;
    }

    /** The table with commits that depend on a condition and are tried once each. */
    static FileStoreTable conditional(
            FileStoreTable table, Options dynamicOptions, Condition condition) {
        return FileStoreTableFactory.createWithoutFallbackBranch(
                table.fileIO(),
                table.location(),
                table.schema(),
                dynamicOptions,
                new Environment(table.catalogEnvironment(), condition));
    }

    /**
     * Refuses a table on a file system where two commits could both succeed.
     *
     * @throws LakeException {@code INVALID_OPTION} naming the way out
     */
    static void checkAtomic(ObjectPath path, FileStoreTable table) {
        CatalogEnvironment environment = table.catalogEnvironment();
        if (table.fileIO().isObjectStore()
                && environment.lockFactory() == null
                && !environment.supportsVersionManagement()) {
            throw new LakeException(
                    Reason.INVALID_OPTION,
                    "table "
                            + path.getFullName()
                            + " lies on an object store ("
                            + table.location()
                            + "), where a commit is not atomic without a lock. Use a Paimon catalog"
                            + " that has one: 'lake.metastore'='rest', 'hive' or 'jdbc' with"
                            + " 'lake.lock.enabled'='true'.");
        }
    }

    @Override
    public boolean commit(Snapshot snapshot, String branch, List<PartitionStatistics> statistics)
            throws Exception {
        condition.check(snapshot.id() - 1);
        Optional<Path> local = LocalFiles.localPath(manager.snapshotPath(snapshot.id()).toUri());
        if (local.isEmpty()) {
            return delegate.commit(snapshot, branch, statistics);
        }
        boolean created =
                LocalFiles.createIfAbsent(
                        local.get(), snapshot.toJson().getBytes(StandardCharsets.UTF_8));
        if (created) {
            manager.commitLatestHint(snapshot.id());
        }
        return created;
    }

    @Override
    public void close() throws Exception {
        delegate.close();
    }

    private static final class Environment extends CatalogEnvironment {

        private static final long serialVersionUID = 1L;

        private final transient Condition condition;

        private Environment(CatalogEnvironment original, Condition condition) {
            super(
                    original.identifier(),
                    original.uuid(),
                    original.catalogLoader(),
                    original.lockFactory(),
                    original.lockContext(),
                    original.supportsVersionManagement());
            this.condition = condition;
        }

        @Override
        public SnapshotCommit snapshotCommit(SnapshotManager snapshotManager) {
            return new SnapshotCreation(
                    condition, snapshotManager, super.snapshotCommit(snapshotManager));
        }
    }
}
