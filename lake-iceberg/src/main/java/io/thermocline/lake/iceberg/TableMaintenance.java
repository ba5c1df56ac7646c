package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeMaintenance;
import io.thermocline.lake.LakeTableDefinition;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.iceberg.ExpireSnapshots;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.util.PropertyUtil;

/** Compaction and expiry. */
final class TableMaintenance {

    /** Snapshots deleted in one run at most, so that a run stays short. */
    private static final int MAX_EXPIRED_SNAPSHOTS = 200;

    private final ObjectPath path;
    private final Table table;
    private final LakeTableDefinition definition;

    TableMaintenance(ObjectPath path, Table table, LakeTableDefinition definition) {
        this.path = path;
        this.table = table;
        this.definition = definition;
    }

    void run(LakeMaintenance maintenance) {
        String tableId = definition.tableId().orElseThrow();
        try {
            new Snapshots(path, table).tiered(tableId);
            SnapshotPin.ensure(table);
            new Compaction(path, table).run();
            table.refresh();
            expire(maintenance, tableId);
        } catch (LakeException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new LakeException(
                    Reason.IO,
                    "maintenance of lake table "
                            + path.getFullName()
                            + " failed: "
                            + e.getMessage()
                            + ". The table is as it was; the next run tries again.",
                    e);
        }
    }

    private void expire(LakeMaintenance maintenance, String tableId) {
        if (!PropertyUtil.propertyAsBoolean(
                table.properties(),
                TableProperties.GC_ENABLED,
                TableProperties.GC_ENABLED_DEFAULT)) {
            return;
        }
        List<Long> expired = expired(maintenance, tableId);
        if (expired.isEmpty()) {
            return;
        }
        // Only the named ones: branches and tags of others are theirs.
        ExpireSnapshots expiry = table.expireSnapshots().expireOlderThan(0);
        expired.forEach(expiry::expireSnapshotId);
        expiry.commit();
    }

    /** Snapshots below the oldest one that is needed, oldest first. */
    private List<Long> expired(LakeMaintenance maintenance, String tableId) {
        Snapshots snapshots = new Snapshots(path, table);
        Snapshots.Tiered newest = snapshots.tiered(tableId);
        long tiered = newest.snapshot().snapshotId();
        // what others have committed since is still to be read
        Long absorbed = newest.state().absorbedSnapshotId();
        long young = System.currentTimeMillis() - maintenance.retainMillis();
        List<Snapshot> line = new ArrayList<>();
        int needed = 0;
        for (Snapshot snapshot : snapshots.line()) {
            line.add(snapshot);
            if (snapshot.snapshotId() == tiered
                    || (absorbed != null && snapshot.snapshotId() == absorbed)
                    || snapshot.timestampMillis() > young
                    || maintenance.leasedSnapshotIds().contains(snapshot.snapshotId())
                    || isReferred(snapshot)) {
                needed = line.size();
            }
        }
        List<Long> expired = new ArrayList<>();
        for (int i = line.size() - 1; i >= needed && expired.size() < MAX_EXPIRED_SNAPSHOTS; i--) {
            expired.add(line.get(i).snapshotId());
        }
        return expired;
    }

    private boolean isReferred(Snapshot snapshot) {
        return table.refs().values().stream()
                .anyMatch(ref -> ref.snapshotId() == snapshot.snapshotId());
    }
}
