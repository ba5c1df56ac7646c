package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.FileUtils;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.RowDataWrapper;
import org.apache.iceberg.flink.sink.RowDataTaskWriterFactory;
import org.apache.iceberg.flink.source.DataIterator;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.TaskWriter;
import org.apache.iceberg.io.WriteResult;
import org.apache.iceberg.util.SnapshotUtil;

/** An Iceberg catalog over a local directory; others are Iceberg's own writers and readers. */
final class IcebergUnderTest implements LakeUnderTest {

    private final LakeConfig config;
    private final Catalog iceberg;

    /** The Hadoop catalog. */
    IcebergUnderTest(Path warehouse) {
        this(warehouse, Map.of());
    }

    IcebergUnderTest(Path warehouse, Map<String, String> options) {
        this.config = new LakeConfig("iceberg", warehouse.toString(), options);
        try {
            Files.createDirectories(warehouse);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.iceberg = CatalogAccess.of(config).loadCatalog();
        Namespace database = Namespace.of("default");
        SupportsNamespaces namespaces = (SupportsNamespaces) iceberg;
        if (!namespaces.namespaceExists(database)) {
            namespaces.createNamespace(database);
        }
    }

    @Override
    public LakeCatalog openCatalog() {
        return new IcebergLakeBinding().open(config, getClass().getClassLoader());
    }

    Table table(ObjectPath path) {
        return iceberg.loadTable(CatalogAccess.identifier(path));
    }

    /** All rows as Iceberg's own reader sees them. */
    List<Record> readGenerically(ObjectPath path) {
        try (CloseableIterable<Record> records = IcebergGenerics.read(table(path)).build()) {
            List<Record> rows = new ArrayList<>();
            records.forEach(record -> rows.add(record.copy()));
            return rows;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<FileScanTask> files(ObjectPath path) {
        try (CloseableIterable<FileScanTask> tasks = table(path).newScan().planFiles()) {
            List<FileScanTask> files = new ArrayList<>();
            tasks.forEach(files::add);
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean holdsCompositeBucketKeys() {
        return false;
    }

    @Override
    public boolean holdsBucketKey(LogicalType type) {
        return !Set.of(LogicalTypeRoot.BOOLEAN, LogicalTypeRoot.FLOAT, LogicalTypeRoot.DOUBLE)
                .contains(type.getTypeRoot());
    }

    private static TaskWriter<RowData> writerOfOthers(Table table) {
        return writerOfOthers(table, Set.of());
    }

    private static TaskWriter<RowData> writerOfOthers(Table table, Set<Integer> key) {
        RowDataTaskWriterFactory factory =
                new RowDataTaskWriterFactory(
                        table,
                        FlinkSchemaUtil.convert(table.schema()),
                        TableProperties.WRITE_TARGET_FILE_SIZE_BYTES_DEFAULT,
                        org.apache.iceberg.FileFormat.PARQUET,
                        table.properties(),
                        key,
                        !key.isEmpty());
        factory.initialize(1, 1);
        return factory.create();
    }

    @Override
    public void appendByOthers(ObjectPath path, List<RowData> rows) {
        Table table = table(path);
        try (TaskWriter<RowData> writer = writerOfOthers(table)) {
            for (RowData row : rows) {
                writer.write(row);
            }
            AppendFiles append = table.newAppend();
            Arrays.stream(writer.complete().dataFiles()).forEach(append::appendFile);
            append.commit();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void changeByOthers(ObjectPath path, List<RowData> rows) {
        Table table = table(path);
        try (TaskWriter<RowData> writer =
                writerOfOthers(table, table.schema().identifierFieldIds())) {
            for (RowData row : rows) {
                writer.write(row);
            }
            WriteResult written = writer.complete();
            RowDelta delta = table.newRowDelta();
            Arrays.stream(written.dataFiles()).forEach(delta::addRows);
            Arrays.stream(written.deleteFiles()).forEach(delta::addDeletes);
            delta.commit();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void commitNothingByOthers(ObjectPath path) {
        table(path).newAppend().commit();
    }

    @Override
    public void compactByOthers(ObjectPath path) {
        Table table = table(path);
        List<FileScanTask> tasks = files(path);
        RewriteFiles rewrite =
                table.newRewrite().validateFromSnapshot(table.currentSnapshot().snapshotId());
        try (DataIterator<RowData> rows = SplitReading.open(table, tasks, table.schema());
                TaskWriter<RowData> writer = writerOfOthers(table)) {
            while (rows.hasNext()) {
                writer.write(rows.next());
            }
            for (FileScanTask task : tasks) {
                rewrite.deleteFile(task.file());
                task.deletes().forEach(rewrite::deleteFile);
            }
            for (DataFile file : writer.complete().dataFiles()) {
                rewrite.addFile(file);
            }
            rewrite.commit();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void expireByOthers(ObjectPath path) {
        table(path)
                .expireSnapshots()
                .expireOlderThan(System.currentTimeMillis())
                .retainLast(1)
                .commit();
    }

    @Override
    public void loseTieredState(ObjectPath path) {
        Table table = table(path);
        table.manageSnapshots().setMinSnapshotsToKeep(SnapshotRef.MAIN_BRANCH, 1).commit();
        table.newAppend().commit();
        expireByOthers(path);
    }

    @Override
    public int bucketByLake(ObjectPath path, RowData row) {
        Table table = table(path);
        RowType declared = TableDefinitions.of(path, table).rowType();
        UnaryOperator<Object> intoLake =
                ValueConversion.intoLake(declared).orElse(UnaryOperator.identity());
        PartitionKey partition = new PartitionKey(table.spec(), table.schema());
        partition.partition(
                new RowDataWrapper(
                                (RowType) ValueConversion.written(declared),
                                table.schema().asStruct())
                        .wrap((RowData) intoLake.apply(row)));
        Integer bucket = partition.get(partition.size() - 1, Integer.class);
        return bucket == null ? 0 : bucket;
    }

    @Override
    public long dataFiles(ObjectPath path) {
        Path directory = Path.of(URI.create(table(path).location()).getPath(), "data");
        if (!Files.exists(directory)) {
            return 0;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".parquet")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<Long> snapshotIds(ObjectPath path) {
        Table table = table(path);
        List<Long> ids = new ArrayList<>();
        for (Snapshot snapshot : SnapshotUtil.currentAncestors(table)) {
            ids.add(snapshot.snapshotId());
        }
        Collections.reverse(ids);
        return ids;
    }

    /** Drops all tables, and files that no snapshot refers to with them. */
    void dropTables() {
        for (TableIdentifier table : iceberg.listTables(Namespace.of("default"))) {
            String location = iceberg.loadTable(table).location();
            iceberg.dropTable(table);
            FileUtils.deleteDirectoryQuietly(new File(URI.create(location).getPath()));
        }
    }

    @Override
    public void close() {
        if (iceberg instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
