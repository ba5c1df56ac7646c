package io.thermocline.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.sink.writer.WriterSettings;
import java.time.Duration;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SinkOptionsTest {

    private static final ObjectPath TABLE = new ObjectPath("db", "t");

    @Test
    void defaultsSendRowsAtOnce() {
        assertThat(SinkOptions.validate(TABLE, new Configuration()))
                .isEqualTo(new WriterSettings(10_000, 2 << 20, Duration.ZERO, 32 << 20));
    }

    @Test
    void optionsAreRead() {
        Configuration options =
                Configuration.fromMap(
                        Map.of(
                                "sink.delivery-guarantee", "at-least-once",
                                "sink.buffer-flush.max-rows", "5",
                                "sink.buffer-flush.max-bytes", "1 kb",
                                "sink.buffer-flush.interval", "2 s",
                                "sink.max-in-flight-bytes", "1 mb"));
        assertThat(SinkOptions.validate(TABLE, options))
                .isEqualTo(new WriterSettings(5, 1024, Duration.ofSeconds(2), 1 << 20));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    sink.delivery-guarantee     | exactly-once | only 'at-least-once' is supported
                    sink.delivery-guarantee     | none         | only 'at-least-once' is supported
                    sink.parallelism            | 0            | it must be at least 1
                    sink.buffer-flush.max-rows  | 0            | it must be at least 1
                    sink.buffer-flush.max-bytes | 0 bytes      | it must be at least 1 byte
                    sink.max-in-flight-bytes    | 1 kb         | it must not be less than
                    """)
    void wrongValuesAreRefused(String key, String value, String reason) {
        Configuration options = Configuration.fromMap(Map.of(key, value));
        assertThatThrownBy(() -> SinkOptions.validate(TABLE, options))
                .isInstanceOf(ValidationException.class)
                .hasMessageStartingWith("option '" + key + "' = '")
                .hasMessageContaining("' of table db.t is not valid: " + reason);
    }

    @Test
    void negativeIntervalIsRefused() {
        Configuration options = new Configuration();
        options.set(SinkOptions.BUFFER_FLUSH_INTERVAL, Duration.ofSeconds(-1));
        assertThatThrownBy(() -> SinkOptions.validate(TABLE, options))
                .isInstanceOf(ValidationException.class)
                .hasMessage(
                        "option 'sink.buffer-flush.interval' = 'PT-1S' of table db.t is not valid:"
                                + " it must not be negative");
    }
}
