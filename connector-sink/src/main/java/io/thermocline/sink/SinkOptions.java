package io.thermocline.sink;

import static org.apache.flink.configuration.ConfigOptions.key;

import io.thermocline.sink.writer.WriterSettings;
import java.time.Duration;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.factories.FactoryUtil;

/** Options of writing, as table options or as hints of a statement. */
public final class SinkOptions {

    /** What a restart of the job may do to rows. */
    public static final ConfigOption<DeliveryGuarantee> DELIVERY_GUARANTEE =
            key("sink.delivery-guarantee")
                    .enumType(DeliveryGuarantee.class)
                    .defaultValue(DeliveryGuarantee.AT_LEAST_ONCE)
                    .withDescription(
                            "at-least-once: rows are visible at once and acknowledged before a"
                                    + " checkpoint completes; rows of an append-only table may repeat"
                                    + " after a restart of the job.");

    /** Number of writers; that of the input if not set. */
    public static final ConfigOption<Integer> PARALLELISM = FactoryUtil.SINK_PARALLELISM;

    /** Most rows of one request. */
    public static final ConfigOption<Integer> BUFFER_FLUSH_MAX_ROWS =
            key("sink.buffer-flush.max-rows")
                    .intType()
                    .defaultValue(10_000)
                    .withDescription("Most rows that a writer sends to a bucket in one request.");

    /** Size at which a request is sent. */
    public static final ConfigOption<MemorySize> BUFFER_FLUSH_MAX_BYTES =
            key("sink.buffer-flush.max-bytes")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(2))
                    .withDescription(
                            "Size of the rows at which a writer sends them; one row more may be in"
                                    + " the request.");

    /** How long rows may wait for company. */
    public static final ConfigOption<Duration> BUFFER_FLUSH_INTERVAL =
            key("sink.buffer-flush.interval")
                    .durationType()
                    .defaultValue(Duration.ZERO)
                    .withDescription(
                            "How long a row may wait for others to share its request. 0: rows leave as"
                                    + " soon as the request before them is acknowledged. Raise it to"
                                    + " trade latency for fewer, larger requests.");

    /** Bound of a writer's memory. */
    public static final ConfigOption<MemorySize> MAX_IN_FLIGHT_BYTES =
            key("sink.max-in-flight-bytes")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(32))
                    .withDescription(
                            "Rows that one writer holds, buffered or sent and not yet acknowledged;"
                                    + " more hold back the job.");

    private SinkOptions() {}

    /** Every option, for the factory's list of optional options. */
    public static Set<ConfigOption<?>> all() {
        return Set.of(
                DELIVERY_GUARANTEE,
                PARALLELISM,
                BUFFER_FLUSH_MAX_ROWS,
                BUFFER_FLUSH_MAX_BYTES,
                BUFFER_FLUSH_INTERVAL,
                MAX_IN_FLIGHT_BYTES);
    }

    /**
     * Checks the options of a table and gives the writer's part of them.
     *
     * @throws ValidationException naming table, option, value and what is allowed
     */
    public static WriterSettings validate(ObjectPath table, ReadableConfig options) {
        DeliveryGuarantee guarantee = options.get(DELIVERY_GUARANTEE);
        if (guarantee != DeliveryGuarantee.AT_LEAST_ONCE) {
            throw invalid(
                    table,
                    DELIVERY_GUARANTEE,
                    guarantee,
                    "only 'at-least-once' is supported; on tables with a primary key it leaves the"
                            + " same rows as exactly-once");
        }
        Integer parallelism = options.get(PARALLELISM);
        if (parallelism != null && parallelism < 1) {
            throw invalid(table, PARALLELISM, parallelism, "it must be at least 1");
        }
        int maxRows = options.get(BUFFER_FLUSH_MAX_ROWS);
        if (maxRows < 1) {
            throw invalid(table, BUFFER_FLUSH_MAX_ROWS, maxRows, "it must be at least 1");
        }
        Duration interval = options.get(BUFFER_FLUSH_INTERVAL);
        if (interval.isNegative()) {
            throw invalid(table, BUFFER_FLUSH_INTERVAL, interval, "it must not be negative");
        }
        MemorySize maxBytes = options.get(BUFFER_FLUSH_MAX_BYTES);
        if (maxBytes.getBytes() < 1) {
            throw invalid(table, BUFFER_FLUSH_MAX_BYTES, maxBytes, "it must be at least 1 byte");
        }
        MemorySize maxInFlight = options.get(MAX_IN_FLIGHT_BYTES);
        if (maxInFlight.compareTo(maxBytes) < 0) {
            throw invalid(
                    table,
                    MAX_IN_FLIGHT_BYTES,
                    maxInFlight,
                    "it must not be less than '"
                            + BUFFER_FLUSH_MAX_BYTES.key()
                            + "' = "
                            + maxBytes);
        }
        return new WriterSettings(maxRows, maxBytes.getBytes(), interval, maxInFlight.getBytes());
    }

    private static ValidationException invalid(
            ObjectPath table, ConfigOption<?> option, Object value, String reason) {
        return new ValidationException(
                "option '%s' = '%s' of table %s is not valid: %s"
                        .formatted(option.key(), value, table.getFullName(), reason));
    }
}
