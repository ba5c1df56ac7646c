package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.local.LocalFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.flink.CatalogLoader;
import org.apache.iceberg.flink.FlinkCatalogFactory;
import org.apache.iceberg.hadoop.SerializableConfiguration;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.ResolvingFileIO;

/**
 * How the Iceberg catalog of a warehouse is opened, in this process or another one. The options are
 * those of Iceberg's own Flink catalog; without a type it is the Hadoop catalog, which needs
 * nothing but a directory.
 */
final class CatalogAccess implements CatalogLoader {

    private static final long serialVersionUID = 1L;

    /** Name of the catalog in Iceberg's messages; the JDBC catalog also keeps its tables by it. */
    private static final String DEFAULT_NAME = "thermocline";

    /** Options that name the type, in order of precedence. */
    private static final String CATALOG_TYPE = FlinkCatalogFactory.ICEBERG_CATALOG_TYPE;

    private static final String NAME = "catalog-name";
    private static final String HADOOP = CatalogUtil.ICEBERG_CATALOG_TYPE_HADOOP;
    private static final String LOCK = CatalogProperties.LOCK_IMPL;

    private static final Set<String> OBJECT_STORES =
            Set.of(
                    "s3", "s3a", "s3n", "gs", "abfs", "abfss", "wasb", "wasbs", "oss", "cosn",
                    "obs");

    private final String warehouse;
    private final HashMap<String, String> properties;
    private final SerializableConfiguration hadoop;

    private CatalogAccess(String warehouse, Map<String, String> properties, Configuration hadoop) {
        this.warehouse = warehouse;
        this.properties = new HashMap<>(properties);
        this.hadoop = new SerializableConfiguration(hadoop);
    }

    static CatalogAccess of(LakeConfig config) {
        Map<String, String> properties = new HashMap<>(config.options());
        properties.putIfAbsent(CatalogProperties.WAREHOUSE_LOCATION, config.warehouse());
        return new CatalogAccess(config.warehouse(), properties, new Configuration());
    }

    Map<String, String> properties() {
        return Map.copyOf(properties);
    }

    /** The warehouse's directory if it lies on this host's file system. */
    Optional<Path> localDirectory() {
        return LocalFiles.localPath(new org.apache.hadoop.fs.Path(warehouse).toUri());
    }

    /** Access to the warehouse's files that belong to no table. The caller closes it. */
    FileIO openFiles() {
        String implementation =
                properties.getOrDefault(
                        CatalogProperties.FILE_IO_IMPL, ResolvingFileIO.class.getName());
        return CatalogUtil.loadFileIO(implementation, properties, hadoop.get());
    }

    /** Whether a commit is the creation of a file, which must not happen twice. */
    boolean commitsByFile() {
        return !properties.containsKey(CatalogProperties.CATALOG_IMPL) && type().equals(HADOOP);
    }

    /**
     * Refuses a table on a file system where two commits could both succeed.
     *
     * @throws LakeException {@code INVALID_OPTION} naming the way out
     */
    void checkAtomic(ObjectPath path) {
        String scheme = new org.apache.hadoop.fs.Path(warehouse).toUri().getScheme();
        if (scheme != null
                && OBJECT_STORES.contains(scheme)
                && commitsByFile()
                && !properties.containsKey(LOCK)) {
            throw new LakeException(
                    Reason.INVALID_OPTION,
                    "table "
                            + path.getFullName()
                            + " lies on an object store ("
                            + warehouse
                            + "), where a commit of Iceberg's Hadoop catalog is not atomic. Use a"
                            + " catalog that makes it so: 'lake.catalog-type'='rest' or 'jdbc'; or give"
                            + " it a lock with 'lake."
                            + LOCK
                            + "'.");
        }
    }

    private String type() {
        String type = properties.get(CATALOG_TYPE);
        return type != null
                ? type
                : properties.getOrDefault(CatalogUtil.ICEBERG_CATALOG_TYPE, HADOOP);
    }

    @Override
    public Catalog loadCatalog() {
        String name = properties.getOrDefault(NAME, DEFAULT_NAME);
        Map<String, String> options = new HashMap<>(properties);
        options.remove(NAME);
        options.remove(CATALOG_TYPE);
        options.remove(CatalogUtil.ICEBERG_CATALOG_TYPE);
        String implementation = properties.get(CatalogProperties.CATALOG_IMPL);
        if (implementation != null) {
            return CatalogUtil.loadCatalog(implementation, name, options, hadoop.get());
        }
        if (commitsByFile() && localDirectory().isPresent()) {
            LocalHadoopCatalog catalog = new LocalHadoopCatalog();
            catalog.setConf(hadoop.get());
            catalog.initialize(name, options);
            return catalog;
        }
        options.put(CatalogUtil.ICEBERG_CATALOG_TYPE, type());
        return CatalogUtil.buildIcebergCatalog(name, options, hadoop.get());
    }

    static TableIdentifier identifier(ObjectPath path) {
        return TableIdentifier.of(path.getDatabaseName(), path.getObjectName());
    }

    /**
     * Loads a table anew, works with it, and closes the catalog again.
     *
     * @throws org.apache.iceberg.exceptions.NoSuchTableException if it does not exist
     */
    <T> T withTable(ObjectPath path, Function<Table, T> work) {
        Catalog catalog = loadCatalog();
        try {
            return work.apply(catalog.loadTable(identifier(path)));
        } finally {
            close(catalog);
        }
    }

    private static void close(Catalog catalog) {
        if (catalog instanceof Closeable closeable) {
            try {
                closeable.close();
            } catch (IOException e) {
                throw new LakeException(Reason.IO, "cannot close the Iceberg catalog: " + e, e);
            }
        }
    }

    @Override
    @SuppressWarnings("MethodDoesntCallSuperMethod")
    public CatalogLoader clone() {
        return new CatalogAccess(warehouse, properties, new Configuration(hadoop.get()));
    }
}
