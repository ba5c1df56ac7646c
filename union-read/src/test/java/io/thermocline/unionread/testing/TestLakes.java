package io.thermocline.unionread.testing;

import io.thermocline.lake.LakeBinding;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.table.catalog.CatalogDatabaseImpl;
import org.apache.flink.table.catalog.exceptions.DatabaseAlreadyExistException;

/** Opens lakes of any kind in an empty directory, with the database {@code default}. */
public final class TestLakes {

    private TestLakes() {}

    /** Opens a lake by the identifier of its binding. */
    public static LakeCatalog open(String lake, Path directory) {
        LakeConfig config = new LakeConfig(lake, directory.toString(), Map.of());
        ClassLoader loader = TestLakes.class.getClassLoader();
        LakeCatalog catalog =
                Objects.requireNonNull(LakeBinding.seenBy(loader).get(lake), lake)
                        .open(config, loader);
        try {
            catalog.flinkCatalog()
                    .createDatabase("default", new CatalogDatabaseImpl(Map.of(), null), true);
        } catch (DatabaseAlreadyExistException e) {
            throw new IllegalStateException(e);
        }
        return catalog;
    }
}
