package io.thermocline.e2e.sql;

import java.util.stream.LongStream;

/** Random histories on Iceberg. */
class IcebergRandomHistoryITCase extends RandomHistoryITCase {

    @Override
    String lake() {
        return "iceberg";
    }

    static LongStream seeds() {
        return seeds(
                System.getProperty(
                        "thermocline.history.seeds",
                        Boolean.getBoolean("thermocline.test.full") ? "1-20" : "1"));
    }
}
