package io.thermocline.benchmarks.flink;

import io.thermocline.benchmarks.driver.Driver;
import java.util.Locale;

/** A process that runs Flink jobs against one system. */
public final class FlinkDriver {

    private FlinkDriver() {}

    /** Arguments: name of the {@link Dialect}, where its system is. */
    public static void main(String[] arguments) {
        Dialect dialect = Dialect.valueOf(arguments[0].toUpperCase(Locale.ROOT));
        Driver.serve(begin -> new FlinkOperations(dialect, arguments[1], begin));
    }
}
