package io.thermocline.lake.iceberg;

import io.thermocline.lake.local.LocalFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.LockManager;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.hadoop.HadoopTableOperations;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.util.LockManagers;

/**
 * Iceberg's Hadoop catalog in a directory of this host. Iceberg looks whether the metadata file of
 * the next version exists and then renames, which two processes can both do; here the file is
 * created by a hard link.
 */
class LocalHadoopCatalog extends HadoopCatalog {

    private LockManager locks;

    @Override
    public void initialize(String name, Map<String, String> properties) {
        super.initialize(name, properties);
        this.locks =
                properties.containsKey(CatalogProperties.LOCK_IMPL)
                        ? LockManagers.from(properties)
                        : new NoLocks();
    }

    @Override
    protected TableOperations newTableOps(TableIdentifier identifier) {
        Configuration configuration = getConf();
        return new Operations(
                new Path(defaultWarehouseLocation(identifier)),
                new LocalFileIO(),
                configuration,
                locks);
    }

    private static final class Operations extends HadoopTableOperations {

        private Operations(
                Path location, FileIO files, Configuration configuration, LockManager locks) {
            super(location, files, configuration, locks);
        }

        @Override
        protected FileSystem getFileSystem(Path path, Configuration configuration) {
            LinkingFileSystem fileSystem = new LinkingFileSystem();
            try {
                fileSystem.initialize(URI.create("file:///"), configuration);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return fileSystem;
        }
    }

    /** The hard link decides; Iceberg's own lock lets who comes second wait for five seconds. */
    private static final class NoLocks extends LockManagers.BaseLockManager {

        @Override
        public boolean acquire(String entityId, String ownerId) {
            return true;
        }

        @Override
        public boolean release(String entityId, String ownerId) {
            return true;
        }
    }

    /** Never renames onto a metadata file that exists. */
    private static final class LinkingFileSystem extends RawLocalFileSystem {

        private static final Pattern METADATA = Pattern.compile("v\\d+\\.(gz\\.)?metadata\\.json");

        @Override
        public boolean rename(Path source, Path target) throws IOException {
            if (!METADATA.matcher(target.getName()).matches()) {
                return super.rename(source, target);
            }
            boolean created =
                    LocalFiles.linkIfAbsent(
                            pathToFile(source).toPath(), pathToFile(target).toPath());
            if (created) {
                delete(source, false);
            }
            return created;
        }

        /** Files get the permissions that the process gives; setting them would start another. */
        @Override
        public void setPermission(Path path, FsPermission permission) {}
    }
}
