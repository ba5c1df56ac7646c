package io.thermocline.e2e.sql;

import java.util.List;

/** Cases in which the lake matters, on Iceberg. */
class IcebergSqlCasesITCase extends SqlCasesITCase {

    /** As long as not all of them were tried there. */
    private static final List<String> TRIED =
            List.of(
                    "attach/keyed.sqlt",
                    "attach/log.sqlt",
                    "attach/refused.sqlt",
                    "attach/running-jobs.sqlt",
                    "ddl/buckets.sqlt",
                    "lookup/lookup.sqlt",
                    "types/all.sqlt",
                    "types/extremes.sqlt",
                    "types/variant.sqlt",
                    "union/deletes.sqlt",
                    "union/metadata-tables.sqlt",
                    "union/partition-types.sqlt",
                    "union/partition-values.sqlt",
                    "union/pruned-lake.sqlt",
                    "union/tiers.sqlt");

    @Override
    String lake() {
        return "iceberg";
    }

    static List<String> files() {
        return TRIED.stream().filter(SqlCasesITCase::isSelected).toList();
    }
}
