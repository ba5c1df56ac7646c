package io.thermocline.unionread.attach;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.RowData;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.sink.RowDataTaskWriterFactory;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.io.TaskWriter;
import org.apache.iceberg.io.WriteResult;
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
import org.apache.paimon.options.Options;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.PartitionKeyExtractor;
import org.apache.paimon.table.sink.RowPartitionKeyExtractor;
import org.apache.paimon.table.sink.TableCommitImpl;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.jspecify.annotations.Nullable;

/** A lake table as programs that know nothing of hot tiers write to it. */
interface PlainTable {

    /** Writes rows without committing them yet, and returns what commits them. */
    Runnable prepare(List<RowData> rows);

    /** Commits rows: of a primary-key table +I rows are upserts, -D rows delete. */
    default void write(List<RowData> rows) {
        prepare(rows).run();
    }

    static PlainTable of(String lake, Path warehouse, ObjectPath path) {
        return lake.equals("paimon")
                ? rows -> writePaimon(paimon(warehouse, path), rows)
                : rows -> {
                    Table table = iceberg(warehouse, path);
                    return writeIceberg(table, table.schema().identifierFieldIds(), rows);
                };
    }

    /** An Iceberg table to which rows are appended, whatever keys they have. */
    static PlainTable ofAppends(Path warehouse, ObjectPath path) {
        return rows -> writeIceberg(iceberg(warehouse, path), Set.of(), rows);
    }

    /** Makes an older snapshot the newest one again. */
    static void rollBack(String lake, Path warehouse, ObjectPath path, long snapshotId) {
        if (lake.equals("paimon")) {
            paimon(warehouse, path).rollbackTo(snapshotId);
        } else {
            iceberg(warehouse, path).manageSnapshots().rollbackTo(snapshotId).commit();
        }
    }

    private static FileStoreTable paimon(Path warehouse, ObjectPath path) {
        Options options = new Options();
        options.set(CatalogOptions.WAREHOUSE, warehouse.toString());
        options.set(CatalogOptions.CACHE_ENABLED, false);
        try (Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(options))) {
            return (FileStoreTable)
                    catalog.getTable(
                            Identifier.create(path.getDatabaseName(), path.getObjectName()));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Runnable writePaimon(FileStoreTable table, List<RowData> rows) {
        String user = UUID.randomUUID().toString();
        try (IOManager ioManager = IOManager.create(System.getProperty("java.io.tmpdir"));
                TableWriteImpl<?> write = table.newWrite(user).withIOManager(ioManager)) {
            HashBucketAssigner dynamic = dynamicBuckets(table, user);
            PartitionKeyExtractor<InternalRow> keys =
                    dynamic == null ? null : new RowPartitionKeyExtractor(table.schema());
            for (RowData row : rows) {
                FlinkRowWrapper written = new FlinkRowWrapper(row);
                if (dynamic == null) {
                    write.write(written);
                } else {
                    int hash = keys.trimmedPrimaryKey(written).hashCode();
                    write.write(written, dynamic.assign(keys.partition(written), hash));
                }
            }
            List<CommitMessage> messages =
                    write.prepareCommit(true, BatchWriteBuilder.COMMIT_IDENTIFIER);
            return () -> {
                try (TableCommitImpl commit = table.newCommit(user)) {
                    commit.commit(BatchWriteBuilder.COMMIT_IDENTIFIER, messages);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            };
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** As Paimon's own sink places keys. */
    private static @Nullable HashBucketAssigner dynamicBuckets(FileStoreTable table, String user) {
        return table.bucketMode() == BucketMode.HASH_DYNAMIC
                ? new HashBucketAssigner(
                        table.snapshotManager(),
                        user,
                        table.store().newIndexFileHandler(),
                        1,
                        1,
                        0,
                        table.coreOptions().dynamicBucketTargetRowNum(),
                        table.coreOptions().dynamicBucketMaxBuckets())
                : null;
    }

    /** Compacts a Paimon table as its own jobs do. */
    static void compactPaimon(Path warehouse, ObjectPath path) {
        FileStoreTable table = paimon(warehouse, path);
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

    private static Table iceberg(Path warehouse, ObjectPath path) {
        return new HadoopCatalog(new Configuration(), warehouse.toString())
                .loadTable(TableIdentifier.of(path.getDatabaseName(), path.getObjectName()));
    }

    private static Runnable writeIceberg(Table table, Set<Integer> key, List<RowData> rows) {
        RowDataTaskWriterFactory factory =
                new RowDataTaskWriterFactory(
                        table,
                        FlinkSchemaUtil.convert(table.schema()),
                        TableProperties.WRITE_TARGET_FILE_SIZE_BYTES_DEFAULT,
                        FileFormat.PARQUET,
                        table.properties(),
                        key,
                        !key.isEmpty());
        factory.initialize(1, 1);
        try (TaskWriter<RowData> writer = factory.create()) {
            for (RowData row : rows) {
                writer.write(row);
            }
            WriteResult result = writer.complete();
            RowDelta delta = table.newRowDelta();
            Arrays.stream(result.dataFiles()).forEach(delta::addRows);
            Arrays.stream(result.deleteFiles()).forEach(delta::addDeletes);
            return delta::commit;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
