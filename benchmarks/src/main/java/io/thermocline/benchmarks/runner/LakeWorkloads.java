package io.thermocline.benchmarks.runner;

import static io.thermocline.benchmarks.runner.Systems.ICEBERG;
import static io.thermocline.benchmarks.runner.Systems.SERVER;
import static io.thermocline.benchmarks.runner.Systems.SERVER_ON_ICEBERG;

import io.thermocline.benchmarks.driver.Fields;
import io.thermocline.benchmarks.iceberg.TableHealth;
import io.thermocline.benchmarks.runner.Session.Table;
import io.thermocline.benchmarks.runner.Workload.Length;
import io.thermocline.benchmarks.runner.Workload.Unit;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What tiering costs, and what it leaves in the lake. */
final class LakeWorkloads {

    /** As often as the server maintains a lake table. */
    private static final int MAINTENANCE_SECONDS = 300;

    /** Default of the option {@code tiering.freshness}. */
    private static final int TIERING_SECONDS = 60;

    /** Short intervals are measured for so long. */
    private static final int LIVE_SECONDS = 10;

    private LakeWorkloads() {}

    static List<Workload> all() {
        return List.of(
                tiering("tiering-new", false),
                tiering("tiering-updates", true),
                health("health-1s", 1, Set.of(ICEBERG)),
                health("health-10s", 10, Set.of(ICEBERG)),
                health("health-60s", TIERING_SECONDS, Set.of(SERVER_ON_ICEBERG, ICEBERG)));
    }

    /** One round with every key. */
    private static Workload tiering(String name, boolean updates) {
        return new Workload(
                name,
                Unit.ROWS_PER_SECOND,
                Set.of(SERVER, SERVER_ON_ICEBERG),
                null,
                false,
                Length.JOB,
                (session, scale, repetition) -> {
                    session.recreate(Table.LAKE);
                    session.prepare(Workloads.fill(session, scale, Table.LAKE));
                    if (updates) {
                        session.prepare(session.operation("tier", Table.LAKE));
                        session.prepare(
                                Workloads.fill(session, scale, Table.LAKE).with("version", 1));
                    }
                    return session.measure(name, repetition, session.operation("tier", Table.LAKE));
                });
    }

    /**
     * Freshness while commits are so many seconds apart, and the state of the table after a time of
     * such commits. The time is simulated: the rows of an interval come as fast as they are taken.
     */
    private static Workload health(String name, int interval, Set<String> systems) {
        return new Workload(
                name,
                Unit.P50_MICROS,
                systems,
                null,
                false,
                Length.MINUTES,
                (session, scale, repetition) -> {
                    Measurement live = live(name, session, scale, interval);
                    session.recreate(Table.LAKE);
                    Measurement hour =
                            session.measure(
                                    name,
                                    repetition,
                                    session.operation("hour", Table.LAKE)
                                            .with("keys", keys(scale))
                                            .with("rate", scale.jobs().hourRate())
                                            .with("interval", interval)
                                            .with("seconds", scale.jobs().hourSeconds())
                                            .with("maintenanceSeconds", MAINTENANCE_SECONDS));
                    return together(live, hour, TableHealth.of(session.inLake(Table.LAKE)), scale);
                });
    }

    /** So few that an hour updates most of them several times. */
    private static int keys(Scale scale) {
        return scale.keys() / 10;
    }

    private static Measurement live(String name, Session session, Scale scale, int interval)
            throws IOException {
        session.recreate(Table.TIERED);
        int intervals = Math.max(scale.jobs().liveIntervals(), LIVE_SECONDS / interval);
        if (!session.name().equals(ICEBERG)) {
            return session.measure(
                    name,
                    0,
                    Workloads.atRate(
                            session.operation("freshness-union", Table.TIERED)
                                    .with("keys", keys(scale)),
                            scale,
                            intervals * interval));
        }
        return session.measure(
                name,
                0,
                session.operation("commit-freshness", Table.TIERED)
                        .with("keys", keys(scale))
                        .with("rate", Workloads.RATE)
                        .with("interval", interval)
                        .with("commits", 1 + intervals));
    }

    private static Measurement together(
            Measurement live, Measurement hour, TableHealth health, Scale scale) {
        Map<String, String> figures = new LinkedHashMap<>(live.figures());
        Fields table =
                new Fields("health")
                        .with("simulatedSeconds", scale.jobs().hourSeconds())
                        .with("dataFiles", health.dataFiles())
                        .with("deleteFiles", health.deleteFiles())
                        .with("deletes", health.deletes())
                        .with("snapshots", health.snapshots())
                        .with("planMs", String.format(Locale.ROOT, "%.1f", health.planMillis()));
        figures.putAll(table.values());
        return new Measurement(
                hour.row(),
                hour.system(),
                hour.repetition(),
                hour.rows(),
                hour.seconds(),
                figures,
                hour.cpuSeconds(),
                hour.residentBytes(),
                hour.diskBytes(),
                live.otherCores());
    }
}
