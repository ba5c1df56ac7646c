package io.thermocline.lake;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;

/** A lake's catalog: the only metadata store of a Thermocline catalog. Thread-safe. */
public interface LakeCatalog extends AutoCloseable {

    /**
     * The lake's own Flink catalog: databases, views, plain tables and the lake's metadata tables
     * go through it unchanged. Opened, and closed together with this object.
     */
    Catalog flinkCatalog();

    /**
     * Creates a table that has a hot tier: the lake table, then one empty snapshot that carries the
     * table id and offset 0 for every bucket.
     *
     * @param table physical, computed and metadata columns, watermarks, comment, partition keys;
     *     options are those of {@link LakeTableDefinition} under the prefix {@link
     *     LakeTableDefinition#OPTION_PREFIX} plus the lake's own
     * @param bucketKeys names of the bucket-key columns; empty only on log tables
     * @param bucketCount number of buckets
     * @throws LakeException {@code UNSUPPORTED} naming column, type and lake; {@code
     *     TABLE_ALREADY_EXISTS}
     */
    void createTable(
            ObjectPath path, ResolvedCatalogTable table, List<String> bucketKeys, int bucketCount);

    /**
     * Looks a table or view up, once.
     *
     * @throws LakeException {@code TABLE_NOT_FOUND}
     */
    ShownTable shownTable(ObjectPath path);

    /**
     * Loads a table.
     *
     * @throws LakeException {@code TABLE_NOT_FOUND}
     */
    LakeTable table(ObjectPath path);

    /** Gives tables that exist a hot tier, and takes it away. */
    LakeAttachments attachments();

    /** Small files that belong to the warehouse as a whole, such as the store record. */
    WarehouseFiles warehouseFiles();

    /**
     * Whether an option key (without our prefix) is one of the lake's own table options, so that a
     * misspelt one can be refused.
     */
    boolean isTableOption(String key);

    /**
     * Why a table with a hot tier must not have one of the lake's table options: it would
     * contradict what the hot tier decides. Empty if it may have it.
     */
    Optional<String> hotTableConflict(String key);

    /** Whether tables can be told how tiering is to delete rows: {@link DeleteStyle}. */
    default boolean offersDeleteStyles() {
        return false;
    }

    /**
     * Names of the lake's procedures that leave the rows of a table, its definition and the offsets
     * in its snapshots as they are.
     */
    Set<String> harmlessProcedures();

    @Override
    void close();
}
