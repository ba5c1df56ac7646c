package io.thermocline.lake.conformance;

import io.thermocline.lake.LakeCatalog;
import java.util.List;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;

/** A lake in an empty warehouse, and what others than Thermocline do to its tables. */
public interface LakeUnderTest extends AutoCloseable {

    /**
     * Opens one more catalog over the warehouse, as another process would. The caller closes it.
     */
    LakeCatalog openCatalog();

    /** Whether a table may have more than one bucket by a bucket key of several columns. */
    boolean holdsCompositeBucketKeys();

    /** Whether a column of the type may be a bucket key. Only asked about types that are held. */
    boolean holdsBucketKey(LogicalType type);

    /** Appends rows as another engine does; the commit carries nothing of ours. */
    void appendByOthers(ObjectPath path, List<RowData> rows);

    /**
     * Changes rows of a primary-key table as another engine does: +I rows are upserts, -D rows
     * delete.
     */
    void changeByOthers(ObjectPath path, List<RowData> rows);

    /** Commits a snapshot without files, as other engines do now and then. */
    void commitNothingByOthers(ObjectPath path);

    /** Compacts the table fully, as another engine does. */
    void compactByOthers(ObjectPath path);

    /** Expires all snapshots that the lake lets go, as another engine does. */
    void expireByOthers(ObjectPath path);

    /** Removes every snapshot's tiered state from the lake, as a careless administrator might. */
    void loseTieredState(ObjectPath path);

    /** Bucket into which the lake's own writer puts a row. */
    int bucketByLake(ObjectPath path, RowData row);

    /** Data files in the table's directory, whether or not a snapshot refers to them. */
    long dataFiles(ObjectPath path);

    /** Ids of the snapshots there are, oldest first. */
    List<Long> snapshotIds(ObjectPath path);

    @Override
    void close();
}
