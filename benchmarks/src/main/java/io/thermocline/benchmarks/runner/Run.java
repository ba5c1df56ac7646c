package io.thermocline.benchmarks.runner;

import io.thermocline.benchmarks.runner.Session.Table;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.util.IOUtils;

/** Measures rows: every repetition by all systems in turn, so that all see the same machine. */
final class Run {

    /** Is told of every measurement as it is made. */
    interface Listener {
        void measured(Measurement measurement) throws IOException;
    }

    /** Number of the repetition that is not counted. */
    private static final int WARM_UP = -1;

    private final RunDirectory directory;
    private final Set<String> peers;
    private final Scale scale;
    private final Listener listener;

    /**
     * @param peers names of the peers that take part
     * @param listener is told of every measurement as it is made
     */
    Run(RunDirectory directory, Set<String> peers, Scale scale, Listener listener) {
        this.directory = directory;
        this.peers = peers;
        this.scale = scale;
        this.listener = listener;
    }

    /** Runs the workloads one after the other and returns what they measured, by workload. */
    Map<Workload, List<Measurement>> run(List<Workload> workloads) throws IOException {
        Files.createDirectories(directory.logs());
        Map<Workload, List<Measurement>> measured = new LinkedHashMap<>();
        Map<String, Session> sessions = Collections.synchronizedMap(new LinkedHashMap<>());
        // Ctrl-C must not leave servers behind.
        Thread interrupted =
                new Thread(() -> List.copyOf(sessions.values()).forEach(Session::close));
        Runtime.getRuntime().addShutdownHook(interrupted);
        try (Closeable ending = () -> closeAll(sessions)) {
            for (BenchedSystem system : Systems.of(peers, directory)) {
                if (workloads.stream().anyMatch(each -> each.systems().contains(system.name()))) {
                    sessions.put(system.name(), Session.start(system, directory.logs(), scale));
                }
            }
            for (Workload workload : workloads) {
                List<Session> parts =
                        sessions.values().stream()
                                .filter(session -> workload.systems().contains(session.name()))
                                .toList();
                measured.put(workload, measure(workload, parts));
            }
            return measured;
        }
    }

    /** Ends all of them, whatever becomes of one. */
    private static void closeAll(Map<String, Session> sessions) throws IOException {
        List<Session> open = List.copyOf(sessions.values());
        sessions.clear();
        try {
            IOUtils.closeAll(open);
        } catch (Exception e) {
            throw new IOException("a system that was measured did not end as it should", e);
        }
    }

    private List<Measurement> measure(Workload workload, List<Session> sessions)
            throws IOException {
        for (Session session : sessions) {
            prepare(session, workload);
        }
        List<Measurement> measurements = new ArrayList<>();
        if (workload.warmsUp(scale)) {
            for (Session session : sessions) {
                workload.step().run(session, scale, WARM_UP);
            }
        }
        for (int repetition = 0; repetition < workload.length().repetitions(scale); repetition++) {
            for (Session session : sessions) {
                Measurement measurement = workload.step().run(session, scale, repetition);
                listener.measured(measurement);
                measurements.add(measurement);
            }
        }
        if (workload.sameChecksum()) {
            checkChecksums(workload, measurements);
        }
        return measurements;
    }

    private void prepare(Session session, Workload workload) throws IOException {
        Table table = workload.table();
        if (table == null || session.has(table)) {
            return;
        }
        session.recreate(table);
        boolean empty = table == Table.FRESH || table == Table.TIERED;
        if (!session.name().equals(Systems.FLIGHT) && !empty) {
            session.prepare(Workloads.fill(session, scale, table));
        }
    }

    private static void checkChecksums(Workload workload, List<Measurement> measurements)
            throws IOException {
        Map<String, String> systems = new HashMap<>();
        measurements.forEach(
                measurement ->
                        systems.put(
                                measurement.rows() + "/" + measurement.figures().get("checksum"),
                                measurement.system()));
        if (systems.size() > 1) {
            throw new IOException(
                    workload.name()
                            + ": the systems did not read the same rows (rows/checksum=system): "
                            + systems);
        }
    }
}
