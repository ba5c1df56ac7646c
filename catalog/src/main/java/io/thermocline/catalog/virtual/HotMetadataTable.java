package io.thermocline.catalog.virtual;

import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.ReadFigures;
import io.thermocline.hotstore.ReadPeriod;
import io.thermocline.hotstore.TieringReport;
import io.thermocline.hotstore.TieringResult;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.DataTypes.Field;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.DataType;

/**
 * What the hot store knows about one of its tables, as a table: {@code t$buckets}, {@code
 * t$tiering}, {@code t$reads}. The columns are described in {@code docs/observability.md}.
 */
public enum HotMetadataTable {
    /** One row per bucket, as it is now. */
    BUCKETS(
            field("bucket", DataTypes.INT().notNull()),
            field("first_offset", DataTypes.BIGINT().notNull()),
            field("tiered_offset", DataTypes.BIGINT().notNull()),
            field("applied_offset", DataTypes.BIGINT().notNull()),
            field("readable_offset", DataTypes.BIGINT().notNull()),
            field("tail_records", DataTypes.BIGINT().notNull()),
            field("key_index_rows", DataTypes.BIGINT()),
            field("changelog_bytes", DataTypes.BIGINT().notNull()),
            field("key_index_bytes", DataTypes.BIGINT()),
            field("leases", DataTypes.INT().notNull())) {
        @Override
        public List<RowData> rows(HotTable table) {
            boolean indexed = table.spec().hasPrimaryKey();
            return table.status().stream().map(status -> bucketRow(status, indexed)).toList();
        }
    },

    /** One row per tiering round that wrote to the lake or failed to. */
    TIERING(
            field("started_at", DataTypes.TIMESTAMP_LTZ(3).notNull()),
            field("duration_ms", DataTypes.BIGINT().notNull()),
            field("snapshot_id", DataTypes.BIGINT()),
            field("from_offsets", DataTypes.MAP(DataTypes.INT(), DataTypes.BIGINT())),
            field("to_offsets", DataTypes.MAP(DataTypes.INT(), DataTypes.BIGINT())),
            field("written_rows", DataTypes.BIGINT()),
            field("written_files", DataTypes.INT()),
            field("written_bytes", DataTypes.BIGINT()),
            field("freshness_ms", DataTypes.BIGINT()),
            field("foreign_commits", DataTypes.INT()),
            field("failure", DataTypes.STRING())) {
        @Override
        public List<RowData> rows(HotTable table) {
            return table.history().tieringRounds().stream()
                    .map(HotMetadataTable::tieringRow)
                    .toList();
        }
    },

    /** One row per hour in which the table was read. */
    READS(
            field("period_start", DataTypes.TIMESTAMP_LTZ(3).notNull()),
            field("hot_reads", DataTypes.BIGINT().notNull()),
            field("lake_reads", DataTypes.BIGINT().notNull()),
            field("merged_reads", DataTypes.BIGINT().notNull()),
            field("hot_rows", DataTypes.BIGINT().notNull()),
            field("hot_bytes", DataTypes.BIGINT().notNull()),
            field("lake_rows", DataTypes.BIGINT().notNull()),
            field("lake_bytes", DataTypes.BIGINT().notNull())) {
        @Override
        public List<RowData> rows(HotTable table) {
            return table.history().readPeriods().stream().map(HotMetadataTable::readRow).toList();
        }
    };

    private final transient DataType rowType;

    HotMetadataTable(Field... columns) {
        this.rowType = DataTypes.ROW(columns).notNull();
    }

    private static Field field(String name, DataType type) {
        return DataTypes.FIELD(name, type);
    }

    /** Its rows now, in Flink's internal form. */
    public abstract List<RowData> rows(HotTable table);

    /** Part of the name after the table's. */
    public String suffix() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Columns, in order. */
    public Schema schema() {
        return Schema.newBuilder().fromRowDataType(rowType).build();
    }

    /** The one that a name stands for; empty for every other name. */
    public static Optional<HotMetadataTable> of(ObjectPath path) {
        return VirtualTableName.parse(path)
                .flatMap(
                        name -> {
                            String suffix =
                                    path.getObjectName()
                                            .substring(name.base().getObjectName().length() + 1);
                            for (HotMetadataTable table : values()) {
                                if (table.suffix().equals(suffix)) {
                                    return Optional.of(table);
                                }
                            }
                            return Optional.empty();
                        });
    }

    private static RowData bucketRow(BucketStatus status, boolean indexed) {
        boolean counted = indexed && status.keyIndexRows() != BucketStatus.UNKNOWN;
        return GenericRowData.of(
                status.bucket(),
                status.earliestOffset(),
                status.tieredOffset(),
                status.appliedOffset(),
                status.readableEnd(),
                Math.max(0, status.readableEnd() - status.tieredOffset()),
                counted ? status.keyIndexRows() : null,
                status.changelogBytes(),
                indexed ? status.keyIndexBytes() : null,
                status.leases());
    }

    private static RowData tieringRow(TieringReport report) {
        TieringResult result = report.result();
        TimestampData start = TimestampData.fromEpochMillis(report.startMillis());
        if (result == null) {
            GenericRowData failed = new GenericRowData(TIERING.rowType.getChildren().size());
            failed.setField(0, start);
            failed.setField(1, report.durationMillis());
            failed.setField(failed.getArity() - 1, StringData.fromString(report.error()));
            return failed;
        }
        return GenericRowData.of(
                start,
                report.durationMillis(),
                result.snapshotId(),
                new GenericMapData(result.previousOffsets()),
                new GenericMapData(result.tieredOffsets()),
                result.rows(),
                result.files(),
                result.bytes(),
                result.freshnessMillis(),
                result.foreignCommits(),
                null);
    }

    private static RowData readRow(ReadPeriod period) {
        ReadFigures figures = period.figures();
        return GenericRowData.of(
                TimestampData.fromEpochMillis(period.startMillis()),
                figures.hotReads(),
                figures.lakeReads(),
                figures.mergedReads(),
                figures.hotRows(),
                figures.hotBytes(),
                figures.lakeRows(),
                figures.lakeBytes());
    }
}
