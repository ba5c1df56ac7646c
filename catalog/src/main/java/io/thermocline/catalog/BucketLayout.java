package io.thermocline.catalog;

import io.thermocline.catalog.option.TableOptions;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.TableDistribution;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.jspecify.annotations.Nullable;

/**
 * How the rows of a table are spread over buckets, from DISTRIBUTED BY or the options {@code
 * bucket} and {@code bucket-key}.
 *
 * @param keys bucket-key columns; empty only on log tables: rows then go to any bucket
 * @param count number of buckets
 */
record BucketLayout(List<String> keys, int count) {

    BucketLayout {
        keys = List.copyOf(keys);
    }

    /**
     * Derives the layout of a table from its definition.
     *
     * @param options the table's options, types and ranges checked
     * @throws ValidationException if the clauses contradict each other, or the bucket key is not
     *     possible
     */
    static BucketLayout of(
            ObjectPath path, ResolvedCatalogTable table, Map<String, String> options) {
        Optional<TableDistribution> distribution = table.getDistribution();
        distribution.ifPresent(clause -> checkKind(path, clause));
        List<String> clauseKeys =
                distribution.map(TableDistribution::getBucketKeys).orElse(List.of());
        List<String> optionKeys = keysOfOption(options);
        if (!clauseKeys.isEmpty() && !optionKeys.isEmpty() && !clauseKeys.equals(optionKeys)) {
            throw contradiction(
                    path, "DISTRIBUTED BY " + clauseKeys, "'bucket-key' = " + optionKeys);
        }
        Integer clauseCount = distribution.flatMap(TableDistribution::getBucketCount).orElse(null);
        int count = count(path, clauseCount, options);
        List<String> keys = clauseKeys.isEmpty() ? optionKeys : clauseKeys;
        ResolvedSchema schema = table.getResolvedSchema();
        List<String> primaryKey =
                schema.getPrimaryKey().map(UniqueConstraint::getColumns).orElse(List.of());
        if (keys.isEmpty()) {
            keys =
                    primaryKey.stream()
                            .filter(column -> !table.getPartitionKeys().contains(column))
                            .toList();
        }
        checkKeys(path, schema, primaryKey, table.getPartitionKeys(), keys);
        return new BucketLayout(keys, count);
    }

    /** The layout as a clause of CREATE TABLE. */
    TableDistribution toDistribution() {
        return keys.isEmpty()
                ? TableDistribution.ofUnknown(count)
                : TableDistribution.ofHash(keys, count);
    }

    private static void checkKind(ObjectPath path, TableDistribution distribution) {
        if (distribution.getKind() == TableDistribution.Kind.RANGE) {
            throw new ValidationException(
                    ("DISTRIBUTED BY RANGE of table %s is not supported: rows are spread by hash. Write"
                                    + " DISTRIBUTED BY HASH(…).")
                            .formatted(path.getFullName()));
        }
    }

    private static List<String> keysOfOption(Map<String, String> options) {
        String value = options.get(TableOptions.BUCKET_KEY.key());
        return value == null
                ? List.of()
                : Arrays.stream(value.split(",", -1)).map(String::trim).toList();
    }

    private static int count(
            ObjectPath path, @Nullable Integer clause, Map<String, String> options) {
        Configuration values = Configuration.fromMap(options);
        if (clause == null) {
            return values.get(TableOptions.BUCKET);
        }
        Optional<Integer> option = values.getOptional(TableOptions.BUCKET);
        if (option.isPresent() && !option.get().equals(clause)) {
            throw contradiction(
                    path, "DISTRIBUTED INTO " + clause + " BUCKETS", "'bucket' = " + option.get());
        }
        if (clause < 1 || clause > TableOptions.MAX_BUCKETS) {
            throw new ValidationException(
                    "DISTRIBUTED INTO %d BUCKETS of table %s is not valid: it must be between 1 and %d"
                            .formatted(clause, path.getFullName(), TableOptions.MAX_BUCKETS));
        }
        return clause;
    }

    private static void checkKeys(
            ObjectPath path,
            ResolvedSchema schema,
            List<String> primaryKey,
            List<String> partitionKeys,
            List<String> keys) {
        if (!primaryKey.isEmpty() && keys.isEmpty()) {
            throw new ValidationException(
                    ("the primary key %s of table %s has only partition columns, so nothing tells the"
                                    + " rows of a partition apart. Add a column to the primary key.")
                            .formatted(primaryKey, path.getFullName()));
        }
        Set<String> seen = new HashSet<>();
        for (String key : keys) {
            if (schema.getColumn(key).filter(Column::isPhysical).isEmpty()) {
                throw invalidKey(path, key, "it is not a physical column of the table");
            }
            if (!seen.add(key)) {
                throw invalidKey(path, key, "it is named twice");
            }
            if (partitionKeys.contains(key)) {
                throw invalidKey(
                        path, key, "it is a partition column; buckets lie within partitions");
            }
            if (!primaryKey.isEmpty() && !primaryKey.contains(key)) {
                throw invalidKey(
                        path,
                        key,
                        "it is not part of the primary key "
                                + primaryKey
                                + ", so rows of one key could be in several buckets");
            }
        }
    }

    private static ValidationException contradiction(ObjectPath path, String left, String right) {
        return new ValidationException(
                ("table %s has both %s and %s. Keep one of them; to replace a clause inherited by LIKE,"
                                + " write DISTRIBUTED … with LIKE … (EXCLUDING DISTRIBUTION).")
                        .formatted(path.getFullName(), left, right));
    }

    private static ValidationException invalidKey(ObjectPath path, String key, String reason) {
        return new ValidationException(
                "'%s' cannot be a bucket key of table %s: %s"
                        .formatted(key, path.getFullName(), reason));
    }
}
