package io.thermocline.sink;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.sink.writer.WriterSettings;
import io.thermocline.unionread.LogicalTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.TableDistribution;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.RowLevelModificationScanContext;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.connector.sink.abilities.SupportsBucketing;
import org.apache.flink.table.connector.sink.abilities.SupportsOverwrite;
import org.apache.flink.table.connector.sink.abilities.SupportsPartitioning;
import org.apache.flink.table.connector.sink.abilities.SupportsRowLevelDelete;
import org.apache.flink.table.connector.sink.abilities.SupportsRowLevelUpdate;
import org.apache.flink.table.connector.sink.abilities.SupportsTruncate;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/** INSERT INTO a table with a hot tier, for batch and streaming statements. */
public final class ThermoclineTableSink
        implements DynamicTableSink,
                SupportsPartitioning,
                SupportsBucketing,
                SupportsOverwrite,
                SupportsTruncate,
                SupportsRowLevelUpdate,
                SupportsRowLevelDelete {

    private final LogicalTable table;
    private final WriterSettings settings;
    private final @Nullable Integer parallelism;

    private Map<String, String> staticPartition = Map.of();

    /**
     * @param table both tiers of the table
     * @param physicalType the rows that the planner sends
     * @param options the table's options, hints applied
     * @throws ValidationException if an option is not valid, or the rows are not those of the table
     */
    public ThermoclineTableSink(LogicalTable table, DataType physicalType, ReadableConfig options) {
        this(
                table,
                SinkOptions.validate(table.spec().path(), options),
                options.get(SinkOptions.PARALLELISM));
        RowType sent = (RowType) physicalType.getLogicalType();
        if (!sent.getFieldNames().equals(table.spec().rowType().getFieldNames())) {
            throw new ValidationException(
                    "columns %s of table %s differ from those that the hot tier knows, %s: read the"
                                    .formatted(
                                            sent.getFieldNames(),
                                            table.spec().path().getFullName(),
                                            table.spec().rowType().getFieldNames())
                            + " definition again (a new session, or CREATE TEMPORARY TABLE … again)");
        }
    }

    private ThermoclineTableSink(
            LogicalTable table, WriterSettings settings, @Nullable Integer parallelism) {
        this.table = table;
        this.settings = settings;
        this.parallelism = parallelism;
    }

    /**
     * Append-only tables take inserts. Tables with a primary key take every change except -U.
     * Deletes that carry nothing but the key are welcome as long as no other column is NOT NULL:
     * else the planner's own NOT NULL check would refuse them, so it is asked for the full row.
     */
    @Override
    public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
        if (!table.spec().hasPrimaryKey()) {
            return ChangelogMode.insertOnly();
        }
        return ChangelogMode.newBuilder()
                .addContainedKind(RowKind.INSERT)
                .addContainedKind(RowKind.UPDATE_AFTER)
                .addContainedKind(RowKind.DELETE)
                .keyOnlyDeletes(otherColumnsAreNullable())
                .build();
    }

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
        return SinkV2Provider.of(new ThermoclineSink(table, settings), parallelism);
    }

    /** Keeps the values for the summary only: the planner has put them into the rows already. */
    @Override
    public void applyStaticPartition(Map<String, String> partition) {
        staticPartition = new LinkedHashMap<>(partition);
    }

    @Override
    public Set<TableDistribution.Kind> listAlgorithms() {
        return Set.of(TableDistribution.Kind.UNKNOWN, TableDistribution.Kind.HASH);
    }

    @Override
    public boolean requiresBucketCount() {
        return false;
    }

    /** Refuses in the user's terms, as the next three do: the planner would name interfaces. */
    @Override
    public void applyOverwrite(boolean overwrite) {
        if (overwrite) {
            throw refused(
                    "INSERT OVERWRITE",
                    table.spec().hasPrimaryKey()
                            ? "INSERT INTO replaces rows by their primary key"
                            : "INSERT INTO appends");
        }
    }

    @Override
    public void executeTruncation() {
        throw refused("TRUNCATE TABLE", "drop the table and create it again");
    }

    @Override
    public RowLevelUpdateInfo applyRowLevelUpdate(
            List<Column> updatedColumns, @Nullable RowLevelModificationScanContext context) {
        throw refused(
                "UPDATE",
                table.spec().hasPrimaryKey()
                        ? "INSERT INTO … SELECT replaces rows by their primary key"
                        : "it has no primary key, and its rows never change");
    }

    @Override
    public RowLevelDeleteInfo applyRowLevelDelete(
            @Nullable RowLevelModificationScanContext context) {
        throw refused(
                "DELETE",
                table.spec().hasPrimaryKey()
                        ? "INSERT INTO from a changelog deletes the rows that it deletes"
                        : "it has no primary key, and its rows never change");
    }

    private ValidationException refused(String statement, String instead) {
        return new ValidationException(
                "%s is not supported for table %s, which has a hot tier: %s"
                        .formatted(statement, table.spec().path().getFullName(), instead));
    }

    @Override
    public DynamicTableSink copy() {
        ThermoclineTableSink copy = new ThermoclineTableSink(table, settings, parallelism);
        copy.staticPartition = staticPartition;
        return copy;
    }

    @Override
    public String asSummaryString() {
        return "Thermocline(" + table.spec().path().getFullName() + partitionSummary() + ")";
    }

    private String partitionSummary() {
        return staticPartition.isEmpty() ? "" : ", partition " + staticPartition;
    }

    private boolean otherColumnsAreNullable() {
        HotTableSpec spec = table.spec();
        return spec.rowType().getFields().stream()
                .filter(field -> !spec.primaryKey().contains(field.getName()))
                .allMatch(field -> field.getType().isNullable());
    }
}
