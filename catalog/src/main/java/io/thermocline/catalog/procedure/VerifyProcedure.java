package io.thermocline.catalog.procedure;

import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.hotstore.HotStoreProvider.WhenStopped;
import io.thermocline.hotstore.HotTable;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeTable;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.verify.Comparison;
import io.thermocline.unionread.verify.TableVerification;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;

/**
 * {@code CALL sys.verify('db.t')}: compares changelog, key index and lake of a table at one cut,
 * while writers go on. Reads all of the table through the calling process. Starts the hot store's
 * server if none is running.
 */
public final class VerifyProcedure implements Procedure {

    static final String NAME = "verify";

    private final LakeCatalog lake;
    private final HotStoreProvider provider;

    VerifyProcedure(LakeCatalog lake, HotStoreProvider provider) {
        this.lake = lake;
        this.provider = provider;
    }

    /**
     * Compares.
     *
     * @param table {@code database.table}
     * @return one row per bucket and partition, described in {@code docs/observability.md}
     */
    @ProcedureHint(
            arguments = @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
            output =
                    @DataTypeHint(
                            "ROW<bucket INT, `partition` STRING, base_snapshot BIGINT,"
                                    + " from_offset BIGINT, to_offset BIGINT, base_rows BIGINT,"
                                    + " changed_rows BIGINT, target STRING, target_rows BIGINT,"
                                    + " expected_checksum STRING, target_checksum STRING,"
                                    + " agrees BOOLEAN, differences ARRAY<STRING>>"))
    public Row[] call(ProcedureContext context, String table) {
        LakeTable lakeTable = TableArgument.load(lake, NAME, table);
        LogicalTable logical =
                new LogicalTable(LogicalTable.specOf(lakeTable.definition()), lakeTable, provider);
        try (HotStore store = provider.connect(WhenStopped.START);
                HotTable hot = store.openTable(logical.spec().path(), logical.spec().tableId())) {
            return new TableVerification(logical, hot)
                    .run().stream().map(VerifyProcedure::row).toArray(Row[]::new);
        }
    }

    private static Row row(Comparison comparison) {
        Comparison.Offsets changes = comparison.changes();
        return Row.of(
                comparison.bucket(),
                comparison.partition(),
                comparison.base(),
                changes == null ? null : changes.start(),
                changes == null ? null : changes.end(),
                comparison.baseRows(),
                comparison.changedRows(),
                comparison.target(),
                comparison.targetRows(),
                comparison.expectedChecksum(),
                comparison.targetChecksum(),
                comparison.agrees(),
                comparison.differences().toArray(String[]::new));
    }
}
