package io.thermocline.catalog;

import io.thermocline.catalog.option.KnownTableOptions;
import io.thermocline.catalog.option.TableOptions;
import io.thermocline.lake.LakeTableDefinition;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogTable;

/**
 * How tables with and without a hot tier look in Flink, from what the lake's catalog says of them.
 */
final class HotTables {

    private static final String TABLE_ID =
            LakeTableDefinition.OPTION_PREFIX + LakeTableDefinition.TABLE_ID;

    private static final String PATH = "path";

    /** Options that follow from other clauses of the definition. */
    private static final Set<String> DERIVED =
            Set.of(TableOptions.BUCKET.key(), TableOptions.BUCKET_KEY.key());

    private HotTables() {}

    /** Id of the hot tier of a table, as the lake's catalog shows it; empty for anything else. */
    static Optional<String> tableId(CatalogBaseTable lakeTable) {
        return Optional.ofNullable(lakeTable.getOptions().get(TABLE_ID));
    }

    /**
     * A table with a hot tier: the clauses and options of its CREATE TABLE statement, so that SHOW
     * CREATE TABLE gives a statement that makes another table like it.
     *
     * @param ofHotTable which options of the lake CREATE TABLE takes; a table that existed before
     *     its hot tier may have others, too
     */
    static CatalogTable hotTable(
            CatalogTable declared, LakeTableDefinition definition, Predicate<String> ofHotTable) {
        Map<String, String> options = new TreeMap<>();
        declared.getOptions()
                .forEach(
                        (key, value) -> {
                            if (!key.startsWith(LakeTableDefinition.OPTION_PREFIX)
                                    && !DERIVED.contains(key)
                                    && ofHotTable.test(key)) {
                                options.put(key, value);
                            }
                        });
        definition
                .hotOptions()
                .forEach(
                        (key, value) -> {
                            if (KnownTableOptions.all().containsKey(key)
                                    && !DERIVED.contains(key)) {
                                options.put(key, value);
                            }
                        });
        return CatalogTable.newBuilder()
                .schema(declared.getUnresolvedSchema())
                .comment(declared.getComment())
                .partitionKeys(declared.getPartitionKeys())
                .options(options)
                .distribution(
                        new BucketLayout(definition.bucketKeys(), definition.bucketCount())
                                .toDistribution())
                .build();
    }

    /**
     * A plain lake table. It says so, and does not say where it is, so that LIKE and SHOW CREATE
     * TABLE make another plain one.
     */
    static CatalogTable plainTable(CatalogTable lakeTable) {
        Map<String, String> options = new TreeMap<>(lakeTable.getOptions());
        options.keySet().removeIf(key -> key.startsWith(LakeTableDefinition.OPTION_PREFIX));
        options.remove(PATH);
        options.put(TableOptions.HOT_ENABLED.key(), "false");
        return lakeTable.copy(options);
    }

    /** The lake table behind a table with a hot tier, by itself. */
    static CatalogTable lakeTableOnly(CatalogTable lakeTable) {
        Map<String, String> options = new TreeMap<>(lakeTable.getOptions());
        boolean changed =
                options.keySet().removeIf(key -> key.startsWith(LakeTableDefinition.OPTION_PREFIX));
        return changed ? lakeTable.copy(options) : lakeTable;
    }
}
