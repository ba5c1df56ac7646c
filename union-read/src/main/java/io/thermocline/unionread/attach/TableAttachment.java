package io.thermocline.unionread.attach;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.hotstore.HotStoreProvider.WhenStopped;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.TableOffsets;
import io.thermocline.lake.Attachment;
import io.thermocline.lake.Attachment.State;
import io.thermocline.lake.ForeignCommit;
import io.thermocline.lake.LakeAttachments;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.TieredState.BucketPosition;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.tiering.OthersCommits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.flink.table.catalog.ObjectPath;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a lake table that exists a hot tier, and takes it away. Each call goes on where the table's
 * state says that an earlier one has ended. Confined to one thread; two at a time on one table are
 * found out by the state, and one of them fails.
 */
public final class TableAttachment {

    private static final Logger LOG = LoggerFactory.getLogger(TableAttachment.class);

    /** How often rows are taken over anew because others changed the lake table meanwhile. */
    private static final int MAX_ATTEMPTS = 3;

    private static final long READERS_POLL_MILLIS = 100;

    private final LakeCatalog lake;
    private final LakeAttachments attachments;
    private final HotStoreProvider provider;
    private final Duration readersTimeout;
    private final Consumer<AttachStep> listener;

    /**
     * @param lake the lake's catalog
     * @param provider how to reach the hot store, which is started if it does not run
     * @param readersTimeout how long readers under a lease may go on after the last row was tiered
     */
    public TableAttachment(LakeCatalog lake, HotStoreProvider provider, Duration readersTimeout) {
        this(lake, provider, readersTimeout, step -> {});
    }

    TableAttachment(
            LakeCatalog lake,
            HotStoreProvider provider,
            Duration readersTimeout,
            Consumer<AttachStep> listener) {
        this.lake = lake;
        this.attachments = lake.attachments();
        this.provider = provider;
        this.readersTimeout = readersTimeout;
        this.listener = listener;
    }

    // ------------------------------------------------------------------ attach

    /**
     * Gives a table a hot tier; does nothing if it has one.
     *
     * @param hotOptions the table's hot-tier options, without our prefix
     * @throws LakeException {@code UNSUPPORTED}, {@code INVALID_OPTION} if it cannot have one;
     *     {@code COMMIT_CONFLICT} if others keep changing the table. The table is plain then
     * @throws HotStoreException if the hot store fails; the same call goes on later
     */
    public void attach(ObjectPath path, Map<String, String> hotOptions) {
        Attachment attachment = definition(path).attachment();
        switch (attachment.state()) {
            case ATTACHED -> LOG.info("Table {} has a hot tier already", path.getFullName());
            case DRAINING -> keep(path, attachment);
            case DETACHED, ATTACHING -> takeOver(path, hotOptions);
        }
    }

    /** Takes back that the hot tier is to be taken away. */
    private void keep(ObjectPath path, Attachment draining) {
        Attachment attached = draining.next(State.ATTACHED);
        attachments.move(path, draining, attached, Map.of());
        refreshStore(path, attached.tableId());
        listener.accept(AttachStep.ATTACHED);
    }

    private void takeOver(ObjectPath path, Map<String, String> hotOptions) {
        for (int attempt = 1; ; attempt++) {
            attachments.checkAttachable(path);
            Attachment attaching = attaching(path, hotOptions);
            try {
                takeOverOnce(path, attaching);
                return;
            } catch (LakeException e) {
                if (!isChangedByOthers(path, attaching, e) || attempt == MAX_ATTEMPTS) {
                    giveUp(path, attaching, e);
                    throw e;
                }
                LOG.info(
                        "Lake table {} is taken over anew (attempt {}): {}",
                        path.getFullName(),
                        attempt + 1,
                        e.getMessage());
            } catch (HotStoreException e) {
                if (e.code().kind() == ErrorCode.Kind.USER) {
                    giveUp(path, attaching, e);
                }
                throw e;
            }
        }
    }

    /** The state in which the newest snapshot is taken over: the present one, or a new one. */
    private Attachment attaching(ObjectPath path, Map<String, String> hotOptions) {
        LakeTable table = lake.table(path);
        Attachment present = table.definition().attachment();
        long newest =
                table.latestSnapshot().map(LakeSnapshot::snapshotId).orElse(Attachment.NO_SNAPSHOT);
        if (present.state() == State.ATTACHING
                && present.snapshotId() == newest
                && table.definition().hotOptions().entrySet().containsAll(hotOptions.entrySet())) {
            return present;
        }
        Attachment next = present.attaching(UUID.randomUUID().toString(), newest);
        attachments.move(path, present, next, hotOptions);
        listener.accept(AttachStep.ATTACHING);
        if (present.state() == State.ATTACHING) {
            removeHotData(present.tableId());
        }
        return next;
    }

    private void takeOverOnce(ObjectPath path, Attachment attaching) {
        LakeTable table = lake.table(path);
        LakeTableDefinition definition = table.definition().whileAttaching().orElseThrow();
        if (definition.primaryKey().isEmpty()) {
            finish(
                    path,
                    attaching,
                    TieredState.initialOfLog(attaching.tableId(), definition.bucketCount()));
            return;
        }
        try (HotStore store = provider.connect(WhenStopped.START);
                HotTable hot = store.openTable(path, attaching.tableId())) {
            if (attaching.snapshotId() != Attachment.NO_SNAPSHOT) {
                new Hydration(hot, table, attaching.snapshotId()).run();
            }
            listener.accept(AttachStep.HYDRATED);
            checkSameDefinition(path, hot.spec());
            finish(path, attaching, firstState(attaching.tableId(), hot));
            // from here on it is tiered
            store.openTable(path, attaching.tableId()).close();
        }
    }

    private void checkSameDefinition(ObjectPath path, HotTableSpec taken) {
        HotTableSpec now =
                definition(path).whileAttaching().map(LogicalTable::specOf).orElse(taken);
        if (!columns(now).equals(columns(taken))
                || !now.primaryKey().equals(taken.primaryKey())
                || !now.partitionKeys().equals(taken.partitionKeys())
                || !now.bucketKeys().equals(taken.bucketKeys())
                || now.bucketCount() != taken.bucketCount()) {
            throw new LakeException(
                    Reason.COMMIT_CONFLICT,
                    "the columns, keys or buckets of lake table "
                            + path.getFullName()
                            + " were changed while its rows were taken over. Run the statement"
                            + " again.");
        }
    }

    private static List<String> columns(HotTableSpec spec) {
        return spec.rowType().getFields().stream()
                .map(field -> field.getName() + " " + field.getType().asSerializableString())
                .toList();
    }

    private static TieredState firstState(String tableId, HotTable hot) {
        TableOffsets ends = hot.offsets(new OffsetQuery.Latest());
        Map<Integer, BucketPosition> positions = new TreeMap<>();
        ends.offsets()
                .forEach(
                        (bucket, end) ->
                                positions.put(
                                        bucket,
                                        end == 0
                                                ? BucketPosition.START
                                                : new BucketPosition(end, ends.commitTimestamp())));
        return new TieredState(tableId, positions);
    }

    private void finish(ObjectPath path, Attachment attaching, TieredState state) {
        LakeSnapshot first = attachments.commitFirstState(path, attaching, state);
        listener.accept(AttachStep.FIRST_STATE_COMMITTED);
        checkUnchanged(path, first);
        attachments.move(path, attaching, attaching.next(State.ATTACHED), Map.of());
        listener.accept(AttachStep.ATTACHED);
        LOG.info("Table {} has a hot tier now, id {}", path.getFullName(), attaching.tableId());
    }

    /** What others do from here on, the first tiering round sees. */
    private void checkUnchanged(ObjectPath path, LakeSnapshot first) {
        LakeTable table = lake.table(path);
        if (table.definition().primaryKey().isEmpty()) {
            return;
        }
        long newest = table.latestSnapshot().orElse(first).snapshotId();
        List<ForeignCommit> foreign = table.foreignCommits(first.snapshotId(), newest);
        if (!foreign.isEmpty()) {
            throw new LakeException(
                    Reason.COMMIT_CONFLICT,
                    "lake table "
                            + path.getFullName()
                            + " got "
                            + foreign.get(0)
                            + " while its rows were taken over. Stop the jobs that write to the"
                            + " lake table, then run the statement again.");
        }
    }

    private boolean isChangedByOthers(ObjectPath path, Attachment attaching, LakeException e) {
        return (e.reason() == Reason.COMMIT_CONFLICT || e.reason() == Reason.SNAPSHOT_NOT_FOUND)
                && definition(path).attachment().equals(attaching);
    }

    /** The table is a plain one again after a failure that the same call would meet again. */
    private void giveUp(ObjectPath path, Attachment attaching, RuntimeException failure) {
        if (failure instanceof LakeException e
                && e.reason() != Reason.UNSUPPORTED
                && e.reason() != Reason.COMMIT_CONFLICT) {
            return;
        }
        try {
            attachments.move(path, attaching, attaching.next(State.DETACHED), Map.of());
            removeHotData(attaching.tableId());
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    // ------------------------------------------------------------------ detach

    /**
     * Takes the hot tier of a table away, once the lake has every row; does nothing if it has none.
     *
     * @throws LakeException {@code COMMIT_CONFLICT} if another statement changes the state
     * @throws HotStoreException if the hot store or a tiering round fails; the same call goes on
     *     later, {@link #attach} takes it back
     */
    public void detach(ObjectPath path) {
        Attachment attachment = definition(path).attachment();
        switch (attachment.state()) {
            case ATTACHED -> {
                takeOverForeignCommits(path, attachment.tableId());
                Attachment draining = attachment.next(State.DRAINING);
                attachments.move(path, attachment, draining, Map.of());
                listener.accept(AttachStep.DRAINING);
                drain(path, draining);
            }
            case DRAINING -> drain(path, attachment);
            case ATTACHING -> {
                attachments.move(path, attachment, attachment.next(State.DETACHED), Map.of());
                listener.accept(AttachStep.DETACHED);
                clean(path, attachment.tableId());
            }
            case DETACHED -> {
                if (attachment.tableId() != null) {
                    clean(path, attachment.tableId());
                }
            }
        }
    }

    /** A table that is draining takes no rows, not even those of the lake. */
    private void takeOverForeignCommits(ObjectPath path, String tableId) {
        LakeTable table = lake.table(path);
        Optional<LakeSnapshot> tiered = table.latestTieredSnapshot();
        if (tiered.isPresent() && !OthersCommits.since(table, tiered.get()).commits().isEmpty()) {
            try (HotStore store = provider.connect(WhenStopped.START)) {
                store.tier(path, tableId);
            }
        }
    }

    private void drain(ObjectPath path, Attachment draining) {
        String tableId = draining.tableId();
        try (HotStore store = provider.connect(WhenStopped.START);
                HotTable hot = store.openTable(path, tableId)) {
            Map<Integer, Long> ends = hot.detach().offsets();
            listener.accept(AttachStep.CHANGELOG_ENDED);
            store.tier(path, tableId);
            checkTiered(path, ends);
            listener.accept(AttachStep.TIERED);
            awaitReaders(hot);
            attachments.move(path, draining, draining.next(State.DETACHED), Map.of());
            listener.accept(AttachStep.DETACHED);
        }
        clean(path, tableId);
        LOG.info("Table {} is a plain lake table now", path.getFullName());
    }

    private void checkTiered(ObjectPath path, Map<Integer, Long> ends) {
        Map<Integer, Long> tiered =
                lake.table(path)
                        .latestSnapshot()
                        .map(LakeSnapshot::tieredState)
                        .map(TieredState::offsets)
                        .orElse(Map.of());
        if (!tiered.equals(ends)) {
            throw new HotStoreException(
                    ErrorCode.LAKE_FAILED,
                    "the hot tier of table "
                            + path.getFullName()
                            + " is not taken away yet: its changelog ends at "
                            + new TreeMap<>(ends)
                            + ", and readers of the lake see what lies below "
                            + new TreeMap<>(tiered)
                            + ". Run the statement again to go on, or set 'hot.enabled' to 'true' to"
                            + " keep the hot tier.");
        }
    }

    private void awaitReaders(HotTable hot) {
        long deadline = System.nanoTime() + readersTimeout.toNanos();
        while (hasReaders(hot)) {
            if (System.nanoTime() - deadline >= 0) {
                LOG.warn(
                        "Readers of table {} did not end within {} s: they fail now",
                        hot.spec().path().getFullName(),
                        readersTimeout.toSeconds());
                return;
            }
            try {
                Thread.sleep(READERS_POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new HotStoreException(
                        ErrorCode.TABLE_CLOSED,
                        "taking the hot tier of table "
                                + hot.spec().path().getFullName()
                                + " away was interrupted. Run the statement again to go on.",
                        e);
            }
        }
    }

    /** Queries that end by themselves, and streams that have not read up to the end yet. */
    private static boolean hasReaders(HotTable hot) {
        return hot.status().stream()
                .anyMatch(bucket -> bucket.boundedLeases() + bucket.tailingReaders() > 0);
    }

    private void clean(ObjectPath path, String tableId) {
        removeHotData(tableId);
        listener.accept(AttachStep.HOT_DATA_REMOVED);
        attachments.releaseSnapshots(path);
    }

    /** A store that does not run finds later that no lake table has the id. */
    private void removeHotData(String tableId) {
        try (HotStore store = provider.connect(WhenStopped.FAIL)) {
            store.dropTable(tableId);
        } catch (HotStoreException e) {
            if (e.code() != ErrorCode.STORE_UNREACHABLE) {
                LOG.warn(
                        "The hot data of {} is removed by the next start of its store", tableId, e);
            }
        }
    }

    /** Tells a store that runs of the table's new state. */
    private void refreshStore(ObjectPath path, String tableId) {
        try (HotStore store = provider.connect(WhenStopped.FAIL)) {
            store.openTable(path, tableId).close();
        } catch (HotStoreException e) {
            if (e.code() != ErrorCode.STORE_UNREACHABLE) {
                throw e;
            }
        }
    }

    private LakeTableDefinition definition(ObjectPath path) {
        return lake.table(path).definition();
    }
}
