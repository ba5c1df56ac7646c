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
}
