package io.thermocline.catalog.procedure;

import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.hotstore.HotStoreProvider.WhenStopped;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeTableDefinition;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;

/**
 * {@code CALL sys.tier('db.t')}: writes everything that the changelog of a table holds into the
 * lake now, and returns once the lake has committed it. Starts the hot store's server if none is
 * running.
 */
public final class TierProcedure implements Procedure {

    static final String NAME = "tier";

    private final LakeCatalog lake;
    private final HotStoreProvider provider;

    TierProcedure(LakeCatalog lake, HotStoreProvider provider) {
        this.lake = lake;
        this.provider = provider;
    }

    /**
     * Runs a tiering round.
     *
     * @param table {@code database.table}
     * @return one row: lake snapshot, tiered offset of each bucket, rows and files written
     */
    @ProcedureHint(
            arguments = @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
            output =
                    @DataTypeHint(
                            "ROW<snapshot_id BIGINT, tiered_offsets MAP<INT, BIGINT>, `rows` BIGINT,"
                                    + " files INT>"))
    public Row[] call(ProcedureContext context, String table) {
        LakeTableDefinition definition = TableArgument.load(lake, NAME, table).definition();
        try (HotStore store = provider.connect(WhenStopped.START)) {
            TieringResult result =
                    store.tier(definition.path(), definition.tableId().orElseThrow());
            return new Row[] {
                Row.of(result.snapshotId(), result.tieredOffsets(), result.rows(), result.files())
            };
        }
    }
}
