package io.thermocline.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.catalog.option.CatalogOptions;
import io.thermocline.catalog.option.KnownTableOptions;
import io.thermocline.hotserver.launch.EngineOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.util.TimeUtils;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The page of all options says neither too little nor too much. */
class OptionsPageTest {

    private static final Path PAGE = Path.of("..", "docs", "options.md");

    /** A row of a table: option, default. */
    private static final Pattern ROW = Pattern.compile("^\\| `([a-z.-]+)` \\| ([^|]+) \\|.*");

    private static final Pattern VALUE = Pattern.compile("`([^`]+)`");

    private static final Map<String, String> DEFAULTS = new TreeMap<>();

    @BeforeAll
    static void readPage() throws IOException {
        for (String line : Files.readAllLines(PAGE)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                assertThat(DEFAULTS.put(row.group(1), row.group(2).trim()))
                        .as("%s is there twice", row.group(1))
                        .isNull();
            }
        }
    }

    @Test
    void everyOptionIsThereAndNoOther() {
        Set<String> options = new TreeSet<>(KnownTableOptions.all().keySet());
        CatalogOptions.all().forEach(option -> options.add(option.key()));
        options.add(CatalogOptions.TABLE.key());
        options.addAll(EngineOptions.keys());
        assertThat(DEFAULTS.keySet()).containsExactlyElementsOf(options);
    }

    @Test
    void defaultsAreThoseOfTheCode() {
        Map<String, ConfigOption<?>> options = new TreeMap<>(KnownTableOptions.all());
        CatalogOptions.all().forEach(option -> options.put(option.key(), option));
        options.forEach(
                (key, option) -> {
                    Matcher written = VALUE.matcher(DEFAULTS.get(key));
                    if (option.hasDefaultValue()) {
                        assertThat(written.matches()).as("default of %s", key).isTrue();
                        Configuration values = new Configuration();
                        values.setString(key, written.group(1));
                        assertThat((Object) values.get(option))
                                .as("default of %s", key)
                                .isEqualTo(option.defaultValue());
                    } else {
                        assertThat(written.matches()).as("%s has no default", key).isFalse();
                    }
                });
    }

    @Test
    void defaultsOfTheServerAreThoseOfTheCode() {
        EngineOptions defaults = EngineOptions.defaults();
        assertThat(value(EngineOptions.BIND_HOST)).isEqualTo(defaults.bindHost());
        assertThat(value(EngineOptions.PORT)).isEqualTo(String.valueOf(defaults.port()));
        assertThat(value(EngineOptions.METRICS_BIND_HOST)).isEqualTo(defaults.metricsBindHost());
        assertThat(value(EngineOptions.METRICS_PORT))
                .isEqualTo(String.valueOf(defaults.metricsPort().getAsInt()));
        assertThat(MemorySize.parse(value(EngineOptions.MEMORY)).getBytes())
                .isEqualTo(defaults.memoryBytes());
        assertThat(duration(EngineOptions.IDLE_TIMEOUT)).isEqualTo(defaults.idleTimeout());
        assertThat(duration(EngineOptions.RETRY_TIMEOUT)).isEqualTo(defaults.retryTimeout());
    }

    private static Duration duration(String key) {
        return TimeUtils.parseDuration(value(key));
    }

    private static String value(String key) {
        Matcher written = VALUE.matcher(DEFAULTS.get(key));
        assertThat(written.matches()).as("default of %s", key).isTrue();
        return written.group(1);
    }
}
