package io.thermocline.e2e.sql;

import java.io.IOException;
import java.util.List;

/**
 * The cases on Iceberg: by default those in which it matters what the lake is, all of them with
 * {@code -Pfull} and where {@code thermocline.cases} names some.
 */
class IcebergSqlCasesITCase extends SqlCasesITCase {

    /** Cases about the hot tier, the planner and Flink, to which any lake is the same. */
    private static final List<String> ANY_LAKE =
            List.of(
                    "attach/dynamic-buckets.sqlt",
                    "ddl/altered-options.sqlt",
                    "ddl/bad-tables.sqlt",
                    "ddl/drop-in-use.sqlt",
                    "ddl/names.sqlt",
                    "ddl/odd-names.sqlt",
                    "ddl/statements.sqlt",
                    "lookup/changing.sqlt",
                    "lookup/expressions.sqlt",
                    "lookup/prefix.sqlt",
                    "observe/buckets.sqlt",
                    "observe/reads.sqlt",
                    "observe/tiering.sqlt",
                    "observe/verify.sqlt",
                    "sink/many-partitions.sqlt",
                    "sink/parallelism.sqlt",
                    "sink/refused.sqlt",
                    "sink/two-jobs.sqlt",
                    "streaming/windows.sqlt",
                    "types/keys.sqlt",
                    "types/large.sqlt",
                    "types/time-zones.sqlt",
                    "types/variant.sqlt",
                    "union/branches.sqlt",
                    "union/counts.sqlt",
                    "union/empty.sqlt",
                    "union/hints.sqlt",
                    "union/limit.sqlt",
                    "union/partition-values.sqlt",
                    "union/plans.sqlt",
                    "union/restart.sqlt",
                    "union/startup-modes.sqlt",
                    "union/statements.sqlt");

    @Override
    String lake() {
        return "iceberg";
    }

    static List<String> files() throws IOException {
        boolean all = Boolean.getBoolean("thermocline.test.full") || isSelective();
        return SqlCasesITCase.files().stream()
                .filter(name -> all || !ANY_LAKE.contains(name))
                .toList();
    }
}
