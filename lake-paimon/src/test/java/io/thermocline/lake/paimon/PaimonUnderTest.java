package io.thermocline.lake.paimon;

import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.paimon.Snapshot;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.flink.FlinkRowWrapper;
import org.apache.paimon.index.HashBucketAssigner;
import org.apache.paimon.manifest.BucketEntry;
import org.apache.paimon.options.CatalogOptions;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.PartitionKeyExtractor;
import org.apache.paimon.table.sink.RowKeyExtractor;
import org.apache.paimon.table.sink.RowPartitionKeyExtractor;
import org.apache.paimon.table.sink.TableCommitImpl;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.jspecify.annotations.Nullable;

/** Paimon's filesystem catalog in a local directory. */
final class PaimonUnderTest implements LakeUnderTest {

    private final Path warehouse;
    private final Catalog paimon;

    PaimonUnderTest(Path warehouse) {
        this.warehouse = warehouse;
        Options options = new Options();
        options.set(CatalogOptions.WAREHOUSE, warehouse.toString());
        options.set(CatalogOptions.CACHE_ENABLED, false);
        this.paimon = CatalogFactory.createCatalog(CatalogContext.create(options));
    }

    @Override
    public LakeCatalog openCatalog() {
        return new PaimonLakeBinding()
                .open(
                        new LakeConfig("paimon", warehouse.toString(), Map.of()),
                        getClass().getClassLoader());
    }

    FileStoreTable table(ObjectPath path) {
        try {
            return (FileStoreTable)
                    paimon.getTable(
                            Identifier.create(path.getDatabaseName(), path.getObjectName()));
        } catch (Catalog.TableNotExistException e) {
            throw new IllegalStateException(e);
        }
    }

    void alter(ObjectPath path, SchemaChange change) throws Exception {
        paimon.alterTable(
                Identifier.create(path.getDatabaseName(), path.getObjectName()), change, false);
    }

    @Override
    public boolean holdsCompositeBucketKeys() {
        return true;
    }

    @Override
    public boolean holdsBucketKey(LogicalType type) {
        return true;
    }

    @Override
    public void appendByOthers(ObjectPath path, List<RowData> rows) {
        FileStoreTable table = table(path);
        String user = UUID.randomUUID().toString();
        try (IOManager ioManager = IOManager.create(System.getProperty("java.io.tmpdir"));
                TableWriteImpl<?> write = table.newWrite(user).withIOManager(ioManager);
                TableCommitImpl commit = table.newCommit(user)) {
            HashBucketAssigner dynamic = dynamicBuckets(table, user);
            for (RowData row : rows) {
                FlinkRowWrapper written = new FlinkRowWrapper(row);
                if (dynamic == null) {
                    write.write(written);
                } else {
                    PartitionKeyExtractor<InternalRow> keys =
                            new RowPartitionKeyExtractor(table.schema());
                    write.write(
                            written,
                            dynamic.assign(
                                    keys.partition(written),
                                    keys.trimmedPrimaryKey(written).hashCode()));
                }
            }
            commit.commit(
                    BatchWriteBuilder.COMMIT_IDENTIFIER,
                    write.prepareCommit(true, BatchWriteBuilder.COMMIT_IDENTIFIER));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** As Paimon's own sink places keys. */
    private static @Nullable HashBucketAssigner dynamicBuckets(FileStoreTable table, String user) {
        if (table.bucketMode() != BucketMode.HASH_DYNAMIC) {
            return null;
        }
        return new HashBucketAssigner(
                table.snapshotManager(),
                user,
                table.store().newIndexFileHandler(),
                1,
                1,
                0,
                table.coreOptions().dynamicBucketTargetRowNum(),
                table.coreOptions().dynamicBucketMaxBuckets());
    }

    @Override
    public void changeByOthers(ObjectPath path, List<RowData> rows) {
        // its writer takes the kind of a row
        appendByOthers(path, rows);
    }

    @Override
    public void commitNothingByOthers(ObjectPath path) {
        try (TableCommitImpl commit = table(path).newCommit(UUID.randomUUID().toString())) {
            commit.ignoreEmptyCommit(false).commit(BatchWriteBuilder.COMMIT_IDENTIFIER, List.of());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void compactByOthers(ObjectPath path) {
        FileStoreTable table = table(path);
        String user = UUID.randomUUID().toString();
        try (IOManager ioManager = IOManager.create(System.getProperty("java.io.tmpdir"));
                TableWriteImpl<?> write = table.newWrite(user).withIOManager(ioManager);
                TableCommitImpl commit = table.newCommit(user)) {
            for (BucketEntry bucket : table.newSnapshotReader().bucketEntries()) {
                write.compact(bucket.partition(), bucket.bucket(), true);
            }
            commit.commit(
                    BatchWriteBuilder.COMMIT_IDENTIFIER,
                    write.prepareCommit(true, BatchWriteBuilder.COMMIT_IDENTIFIER));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void expireByOthers(ObjectPath path) {
        table(path)
                .newExpireSnapshots()
                .config(
                        ExpireConfig.builder()
                                .snapshotRetainMin(1)
                                .snapshotRetainMax(1)
                                .snapshotTimeRetain(Duration.ZERO)
                                .build())
                .expire();
    }

    @Override
    public void loseTieredState(ObjectPath path) {
        FileStoreTable table = table(path);
        new SnapshotPin(table).moveTo(Long.MAX_VALUE);
        long before = table.snapshotManager().latestSnapshot().id();
        table.newCommit("others").truncateTable();
        if (table.snapshotManager().latestSnapshot().id() == before) {
            throw new IllegalStateException("no snapshot was made");
        }
        expireByOthers(path);
    }

    @Override
    public int bucketByLake(ObjectPath path, RowData row) {
        RowKeyExtractor extractor = table(path).createRowKeyExtractor();
        extractor.setRecord(new FlinkRowWrapper(row));
        return extractor.bucket();
    }

    @Override
    public long dataFiles(ObjectPath path) {
        Path directory = Path.of(table(path).location().toUri().getPath());
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.getParent().getFileName().toString().startsWith("bucket-"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<Long> snapshotIds(ObjectPath path) {
        try {
            return table(path).snapshotManager().safelyGetAllSnapshots().stream()
                    .map(Snapshot::id)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            paimon.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
