package io.thermocline.benchmarks.runner;

import static io.thermocline.benchmarks.runner.Systems.EMBEDDED;
import static io.thermocline.benchmarks.runner.Systems.FLIGHT;
import static io.thermocline.benchmarks.runner.Systems.FLOOR;
import static io.thermocline.benchmarks.runner.Systems.FLUSS;
import static io.thermocline.benchmarks.runner.Systems.SERVER;

import io.thermocline.benchmarks.driver.Fields;
import io.thermocline.benchmarks.driver.TableKey;
import io.thermocline.benchmarks.runner.Session.Table;
import io.thermocline.benchmarks.runner.Workload.Length;
import io.thermocline.benchmarks.runner.Workload.Step;
import io.thermocline.benchmarks.runner.Workload.Unit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The rows of the report, in the order they are measured. */
final class Workloads {

    private static final Set<String> ALL = Set.of(SERVER, EMBEDDED, FLOOR, FLUSS);
    private static final Set<String> STORES = Set.of(SERVER, EMBEDDED, FLUSS);
    private static final Set<String> REMOTE = Set.of(SERVER, FLUSS);

    /** Rows a second of everything that measures freshness. */
    static final int RATE = 5_000;

    private static final int WARM_UP_SECONDS = 3;
    private static final int OUTAGE_LIMIT_SECONDS = 300;

    /** What a quick run leaves out, besides what takes minutes: other rows show much the same. */
    private static final Set<String> NOT_QUICK =
            Set.of(
                    "upsert-zipfian",
                    "append-60",
                    "scan-60-all",
                    "scan-60-5",
                    "lookup-1024",
                    "lookup-miss",
                    "lookup-prefix",
                    "union-read-1",
                    "union-read-100",
                    "tiering-new");

    private Workloads() {}

    /** Whether a quick run that names no rows has it. */
    static boolean isQuick(Workload workload) {
        return workload.length() != Length.MINUTES && !NOT_QUICK.contains(workload.name());
    }

    static List<Workload> all() {
        List<Workload> all = new ArrayList<>(ofClients());
        all.addAll(FlinkWorkloads.all());
        all.addAll(LakeWorkloads.all());
        return all;
    }

    private static List<Workload> ofClients() {
        return List.of(
                new Workload(
                        "upsert-new",
                        Unit.ROWS_PER_SECOND,
                        ALL,
                        null,
                        false,
                        Length.CLIENT,
                        Workloads::load),
                update("upsert-existing", "random"),
                update("upsert-zipfian", "zipfian"),
                append("append-10", Table.LOG_10),
                append("append-60", Table.LOG_60),
                scan("scan-10-all", Table.LOG_10, columns(10)),
                scan("scan-10-2", Table.LOG_10, "4,7"),
                scan("scan-60-all", Table.LOG_60, columns(60)),
                scan("scan-60-5", Table.LOG_60, "0,5,21,36,51"),
                lookup(
                        "lookup-1",
                        Unit.P50_MICROS,
                        1,
                        Set.of(SERVER, EMBEDDED, FLOOR, FLIGHT, FLUSS)),
                lookup("lookup-128", Unit.ROWS_PER_SECOND, 128, ALL),
                lookup("lookup-1024", Unit.ROWS_PER_SECOND, 1024, ALL),
                misses(),
                prefixes(),
                freshness("freshness"),
                freshness("freshness-lookup"),
                freshness("freshness-union"),
                onKeyed(
                        "state-scan",
                        Unit.ROWS_PER_SECOND,
                        Set.of(SERVER, EMBEDDED, FLOOR),
                        (session, scale, repetition) ->
                                session.measure(
                                        "state-scan",
                                        repetition,
                                        session.operation("scan-state", Table.KEYED))),
                paced(
                        "recovery",
                        Unit.OUTAGE_MILLIS,
                        REMOTE,
                        (session, scale, repetition) ->
                                session.measureCrash(
                                        "recovery",
                                        repetition,
                                        onKeys("outage", session, scale)
                                                .with("limitSeconds", OUTAGE_LIMIT_SECONDS))));
    }

    /** A row on the table with a key, through the client. */
    private static Workload onKeyed(String name, Unit unit, Set<String> systems, Step step) {
        return new Workload(name, unit, systems, Table.KEYED, false, Length.CLIENT, step);
    }

    private static Workload paced(String name, Unit unit, Set<String> systems, Step step) {
        return new Workload(name, unit, systems, Table.KEYED, false, Length.PACED, step);
    }

    private static Workload freshness(String name) {
        return paced(
                name,
                Unit.P50_MICROS,
                STORES,
                (session, scale, repetition) ->
                        session.measure(
                                name,
                                repetition,
                                atRate(onKeys(name, session, scale), scale, scale.seconds())));
    }

    /** Adds the pace of a freshness measurement. */
    static Fields atRate(Fields operation, Scale scale, int seconds) {
        return operation
                .with("rate", RATE)
                .with("warmUpSeconds", scale.settles() ? WARM_UP_SECONDS : 0)
                .with("seconds", seconds);
    }

    private static String columns(int count) {
        return IntStream.range(0, count).mapToObj(String::valueOf).collect(Collectors.joining(","));
    }

    private static Fields onKeys(String operation, Session session, Scale scale) {
        return session.operation(operation, Table.KEYED).with("keys", scale.keys());
    }

    /** Every key once, in random order, into an empty table. */
    private static Measurement load(Session session, Scale scale, int repetition)
            throws IOException {
        session.recreate(Table.KEYED);
        return session.measure("upsert-new", repetition, fill(session, scale, Table.KEYED));
    }

    /** The operation that fills a table that was just created. */
    static Fields fill(Session session, Scale scale, Table table) {
        int rows =
                switch (table) {
                    case KEYED, PREFIXED, LAKE -> scale.keys();
                    case LOG_10 -> scale.narrowRows();
                    case LOG_60 -> scale.wideRows();
                    case FRESH, TIERED -> 0;
                };
        return session.operation("write", table)
                .with("rows", rows)
                .with("version", 0)
                .with(
                        "order",
                        table == Table.LOG_10 || table == Table.LOG_60 ? "sequential" : "permuted");
    }

    private static Workload update(String name, String order) {
        return onKeyed(
                name,
                Unit.ROWS_PER_SECOND,
                ALL,
                (session, scale, repetition) ->
                        session.measure(
                                name,
                                repetition,
                                onKeys("write", session, scale)
                                        .with("rows", scale.updates())
                                        .with("version", (name + repetition).hashCode())
                                        .with("order", order)));
    }

    private static Workload append(String name, Table table) {
        return new Workload(
                name,
                Unit.ROWS_PER_SECOND,
                ALL,
                null,
                false,
                Length.CLIENT,
                (session, scale, repetition) -> {
                    session.recreate(table);
                    return session.measure(name, repetition, fill(session, scale, table));
                });
    }

    private static Workload scan(String name, Table table, String columns) {
        return new Workload(
                name,
                Unit.ROWS_PER_SECOND,
                ALL,
                table,
                true,
                Length.CLIENT,
                (session, scale, repetition) ->
                        session.measure(
                                name,
                                repetition,
                                session.operation("scan", table).with("columns", columns)));
    }

    private static Workload lookup(String name, Unit unit, int inFlight, Set<String> systems) {
        return onKeyed(
                name,
                unit,
                systems,
                (session, scale, repetition) ->
                        session.measure(
                                name,
                                repetition,
                                onKeys("lookup", session, scale)
                                        .with("inFlight", inFlight)
                                        .with(
                                                "count",
                                                inFlight == 1
                                                        ? scale.lookups() / 10
                                                        : scale.lookups())));
    }

    private static Workload misses() {
        return onKeyed(
                "lookup-miss",
                Unit.ROWS_PER_SECOND,
                ALL,
                (session, scale, repetition) ->
                        session.measure(
                                "lookup-miss",
                                repetition,
                                onKeys("lookup", session, scale)
                                        .with("first", scale.keys())
                                        .with("inFlight", 128)
                                        .with("count", scale.lookups())));
    }

    /** Ten rows each. */
    private static Workload prefixes() {
        return new Workload(
                "lookup-prefix",
                Unit.ROWS_PER_SECOND,
                ALL,
                Table.PREFIXED,
                false,
                Length.CLIENT,
                (session, scale, repetition) ->
                        session.measure(
                                "lookup-prefix",
                                repetition,
                                session.operation("lookup-prefix", Table.PREFIXED)
                                        .with("keys", scale.keys() / TableKey.ROWS_PER_PREFIX)
                                        .with("inFlight", 128)
                                        .with("count", scale.lookups() / 4)));
    }
}
