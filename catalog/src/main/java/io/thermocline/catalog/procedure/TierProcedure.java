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
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;
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
        ObjectPath path = parse(table);
        LakeTableDefinition definition = lake.table(path).definition();
        String tableId =
                definition
                        .tableId()
                        .orElseThrow(
                                () ->
                                        new ValidationException(
                                                "cannot tier table %s: it is a plain lake table without a hot tier"
                                                        .formatted(path.getFullName())));
        try (HotStore store = provider.connect(WhenStopped.START)) {
            TieringResult result = store.tier(path, tableId);
            return new Row[] {
                Row.of(result.snapshotId(), result.tieredOffsets(), result.rows(), result.files())
            };
        }
    }

    private static ObjectPath parse(String table) {
        int dot = table == null ? -1 : table.indexOf('.');
        if (dot < 1 || dot == table.length() - 1) {
            throw new ValidationException(
                    "argument 'table' = '%s' of procedure sys.tier is not valid: it must be 'database.table'"
                            .formatted(table));
        }
        ObjectPath path = new ObjectPath(table.substring(0, dot), table.substring(dot + 1));
        if (path.getObjectName().contains("$")) {
            throw new ValidationException(
                    "cannot tier %s: a name with '$' stands for a read-only view of another table"
                            .formatted(table));
        }
        return path;
    }
}
