package io.thermocline.hotstore.local;

import io.thermocline.hotstore.HotTableSpec;
import java.util.Optional;
import org.apache.flink.table.catalog.ObjectPath;

/** Looks a table up where its definition is kept: in the lake's catalog. Thread-safe. */
@FunctionalInterface
public interface TableResolver {

    /**
     * The table of this name now.
     *
     * @return empty if there is none, or if it has no hot tier
     */
    Optional<HotTableSpec> resolve(ObjectPath path);

    /**
     * The table with an id that none of this name has, should it have been renamed.
     *
     * @param path a name that it had
     * @return empty if there is none in the database
     */
    default Optional<HotTableSpec> resolveRenamed(ObjectPath path, String tableId) {
        return Optional.empty();
    }
}
