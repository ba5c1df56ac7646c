package io.thermocline.benchmarks.runner;

import io.thermocline.benchmarks.runner.Session.Table;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One row of the report.
 *
 * @param name what {@code --only} takes
 * @param unit what is compared
 * @param systems names of the systems that take part
 * @param table that must hold rows before it; null: it makes its own
 * @param sameChecksum whether every system must read the same values
 * @param length how long it takes
 * @param step what is measured
 */
record Workload(
        String name,
        Unit unit,
        Set<String> systems,
        @Nullable Table table,
        boolean sameChecksum,
        Length length,
        Step step) {

    /** What a repetition does. */
    interface Step {
        Measurement run(Session session, Scale scale, int repetition) throws IOException;
    }

    /** How long a repetition takes, which decides how many there are. */
    enum Length {
        /** Seconds; made once before it counts, since compilers take up to half of the time. */
        CLIENT,
        /** So long whatever the scale, with a warm-up of its own where it needs one. */
        PACED,
        /** A Flink job: some seconds more. */
        JOB,
        /** Minutes, whatever the scale: once, and in no quick run that does not name it. */
        MINUTES;

        int repetitions(Scale scale) {
            return switch (this) {
                case CLIENT -> scale.repetitions();
                case PACED, JOB -> scale.jobs().repetitions();
                case MINUTES -> 1;
            };
        }
    }

    /** Whether it is made once more, before the first repetition, without being counted. */
    boolean warmsUp(Scale scale) {
        return length == Length.CLIENT && scale.settles();
    }

    /** What the systems are compared by. */
    enum Unit {
        /** Rows or calls a second: more is better. */
        ROWS_PER_SECOND("/s", true),
        /** Median latency in microseconds: less is better. */
        P50_MICROS("µs p50", false),
        /** Milliseconds without a successful lookup: less is better. */
        OUTAGE_MILLIS("ms", false);

        private final String label;
        private final boolean moreIsBetter;

        Unit(String label, boolean moreIsBetter) {
            this.label = label;
            this.moreIsBetter = moreIsBetter;
        }

        String label() {
            return label;
        }

        double of(Measurement measurement) {
            return switch (this) {
                case ROWS_PER_SECOND -> measurement.rows() / measurement.seconds();
                case P50_MICROS -> Double.parseDouble(measurement.figures().get("p50us"));
                case OUTAGE_MILLIS -> Double.parseDouble(measurement.figures().get("lookupsMs"));
            };
        }

        /** How many times as good {@code value} is as {@code reference}. */
        double ratio(double value, double reference) {
            return moreIsBetter ? value / reference : reference / value;
        }
    }
}
