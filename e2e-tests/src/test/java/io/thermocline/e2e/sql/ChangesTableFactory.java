package io.thermocline.e2e.sql;

import static org.apache.flink.configuration.ConfigOptions.key;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;

/**
 * A bounded table of changes written into its own definition: {@code 'connector'='changes',
 * 'rows'='+I|1|a;-D|1|NULL', 'mode'='all'}. Mode {@code upsert} has no -U and deletes by key.
 */
public final class ChangesTableFactory implements DynamicTableSourceFactory {

    private static final ConfigOption<String> ROWS = key("rows").stringType().noDefaultValue();
    private static final ConfigOption<String> MODE = key("mode").stringType().defaultValue("all");

    @Override
    public String factoryIdentifier() {
        return "changes";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(ROWS);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of(MODE);
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        ChangelogMode mode =
                helper.getOptions().get(MODE).equals("upsert")
                        ? ChangelogMode.upsert()
                        : ChangelogMode.all();
        RowType type = (RowType) context.getPhysicalRowDataType().getLogicalType();
        return new ChangesSource(type, helper.getOptions().get(ROWS), mode);
    }

    private record ChangesSource(RowType type, String text, ChangelogMode mode)
            implements ScanTableSource {

        @Override
        public ChangelogMode getChangelogMode() {
            return mode;
        }

        @Override
        public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
            return new DataStreamScanProvider() {
                @Override
                public DataStream<RowData> produceDataStream(
                        ProviderContext provider, StreamExecutionEnvironment environment) {
                    return environment
                            .fromData(rows(), InternalTypeInfo.of(type))
                            .setParallelism(1);
                }

                @Override
                public boolean isBounded() {
                    return true;
                }
            };
        }

        private List<RowData> rows() {
            List<RowData> rows = new ArrayList<>();
            for (String line : text.split(";")) {
                String[] fields = line.strip().split("\\|", -1);
                GenericRowData row = new GenericRowData(kind(fields[0]), type.getFieldCount());
                for (int i = 0; i < type.getFieldCount(); i++) {
                    row.setField(i, value(type.getTypeAt(i), fields[i + 1]));
                }
                rows.add(row);
            }
            return rows;
        }

        private static RowKind kind(String text) {
            for (RowKind kind : RowKind.values()) {
                if (kind.shortString().equals(text)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("no row kind: " + text);
        }

        private static Object value(LogicalType type, String text) {
            if (text.equals("NULL")) {
                return null;
            }
            return switch (type.getTypeRoot()) {
                case CHAR, VARCHAR -> StringData.fromString(text);
                case BOOLEAN -> Boolean.valueOf(text);
                case INTEGER -> Integer.valueOf(text);
                case BIGINT -> Long.valueOf(text);
                case DOUBLE -> Double.valueOf(text);
                case DATE -> (int) LocalDate.parse(text).toEpochDay();
                case DECIMAL ->
                        DecimalData.fromBigDecimal(
                                new BigDecimal(text),
                                ((DecimalType) type).getPrecision(),
                                ((DecimalType) type).getScale());
                default -> throw new IllegalArgumentException("no changes of type " + type);
            };
        }

        @Override
        public DynamicTableSource copy() {
            return this;
        }

        @Override
        public String asSummaryString() {
            return "changes";
        }
    }
}
