package io.thermocline.benchmarks.runner;

import static io.thermocline.benchmarks.runner.Systems.FLUSS;
import static io.thermocline.benchmarks.runner.Systems.ICEBERG;
import static io.thermocline.benchmarks.runner.Systems.KAFKA;
import static io.thermocline.benchmarks.runner.Systems.PAIMON;
import static io.thermocline.benchmarks.runner.Systems.SERVER;

import io.thermocline.benchmarks.driver.Fields;
import io.thermocline.benchmarks.runner.Session.Table;
import io.thermocline.benchmarks.runner.Workload.Length;
import io.thermocline.benchmarks.runner.Workload.Unit;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Rows that are Flink jobs of parallelism 2; their time is that of the job, without planning. */
final class FlinkWorkloads {

    private static final int PERCENT = 100;

    private FlinkWorkloads() {}

    static List<Workload> all() {
        return List.of(
                new Workload(
                        "flink-lookup-join",
                        Unit.ROWS_PER_SECOND,
                        Set.of(SERVER, FLUSS),
                        Table.KEYED,
                        false,
                        Length.JOB,
                        (session, scale, repetition) ->
                                session.measureJob(
                                        "flink-lookup-join",
                                        repetition,
                                        session.operation("lookup-join", Table.KEYED)
                                                .with("keys", scale.keys())
                                                .with("count", probes(session, scale)))),
                new Workload(
                        "flink-freshness",
                        Unit.P50_MICROS,
                        Set.of(SERVER, FLUSS, KAFKA),
                        null,
                        false,
                        Length.JOB,
                        (session, scale, repetition) -> {
                            session.recreate(Table.FRESH);
                            return session.measureJob(
                                    "flink-freshness",
                                    repetition,
                                    Workloads.atRate(
                                            session.operation("freshness", Table.FRESH)
                                                    .with("keys", scale.keys()),
                                            scale,
                                            scale.seconds()));
                        }),
                new Workload(
                        "flink-upsert",
                        Unit.ROWS_PER_SECOND,
                        Set.of(SERVER, FLUSS, KAFKA, PAIMON, ICEBERG),
                        null,
                        false,
                        Length.JOB,
                        (session, scale, repetition) -> {
                            session.recreate(Table.LAKE);
                            return session.measureJob(
                                    "flink-upsert",
                                    repetition,
                                    Workloads.fill(session, scale, Table.LAKE));
                        }),
                read("lake-read", Set.of(SERVER, PAIMON, ICEBERG), FlinkWorkloads::lakeRead),
                read("union-read-0", Set.of(SERVER, FLUSS, KAFKA), unionRead("union-read-0", 0)),
                read("union-read-1", Set.of(SERVER), unionRead("union-read-1", 1)),
                read("union-read-10", Set.of(SERVER), unionRead("union-read-10", 10)),
                read("union-read-100", Set.of(SERVER), unionRead("union-read-100", 100)));
    }

    /** The stock client of Fluss waits 100 ms for every 100 keys: it would not come to an end. */
    private static int probes(Session session, Scale scale) {
        return session.name().equals(FLUSS)
                ? Math.min(scale.jobs().probes(), 40_000)
                : scale.jobs().probes();
    }

    private static Workload read(String name, Set<String> systems, Workload.Step step) {
        return new Workload(
                name, Unit.ROWS_PER_SECOND, systems, Table.LAKE, true, Length.JOB, step);
    }

    /** The plain lake table, which holds everything. */
    private static Measurement lakeRead(Session session, Scale scale, int repetition)
            throws IOException {
        String table = session.nameOf(Table.LAKE);
        if (session.name().equals(SERVER)) {
            if (repetition == 0) {
                session.prepare(session.operation("tier", Table.LAKE));
            }
            table += "$lake";
        }
        return session.measureJob("lake-read", repetition, batchRead(table, scale));
    }

    private static Fields batchRead(String table, Scale scale) {
        return new Fields("read")
                .with("table", table)
                .with("rows", scale.keys())
                .with("mode", "batch");
    }

    /** A share of the keys has changed since the table was tiered. */
    private static Workload.Step unionRead(String name, int percent) {
        return (session, scale, repetition) -> {
            if (!session.name().equals(SERVER)) {
                // Neither has a batch read of a table with a key: a stream, until all is there.
                return session.measureJob(
                        name,
                        repetition,
                        session.operation("read", Table.LAKE)
                                .with("rows", scale.keys())
                                .with("mode", "streaming"));
            }
            if (repetition == 0) {
                changeShare(session, scale, percent);
            }
            Measurement measured =
                    session.measureJob(
                            name, repetition, batchRead(session.nameOf(Table.LAKE), scale));
            if (repetition == 0) {
                check(session, name, measured);
            }
            return measured;
        };
    }

    private static void changeShare(Session session, Scale scale, int percent) throws IOException {
        session.prepare(session.operation("tier", Table.LAKE));
        if (percent > 0) {
            session.prepare(
                    session.operation("write", Table.LAKE)
                            .with("keys", scale.keys())
                            .with("rows", (long) scale.keys() * percent / PERCENT)
                            .with("version", percent)
                            .with("order", "permuted"));
        }
    }

    /** What was read must be what the key index holds. */
    private static void check(Session session, String name, Measurement measured)
            throws IOException {
        String expected =
                session.prepare(session.operation("scan-state", Table.LAKE)).get("checksum");
        if (!expected.equals(measured.figures().get("checksum"))) {
            throw new IOException(
                    name
                            + ": the union read has checksum "
                            + measured.figures().get("checksum")
                            + ", the key index has "
                            + expected);
        }
    }
}
