package io.thermocline.benchmarks.runner;

import io.thermocline.benchmarks.driver.Fields;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One system's part in a run: its processes and the tables that it holds so far. */
final class Session implements AutoCloseable {

    /** Quiet: below this share of a core for one look. */
    private static final double QUIET_CORES = 0.15;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long MAX_UNQUIET_NANOS = TimeUnit.SECONDS.toNanos(90);
    private static final String CLIENT = "client";

    private static final String FLINK = "flink";

    /** Role of a process that the driver started. */
    static final String SERVER = "server";

    /** Tables that rows work with. */
    enum Table {
        KEYED(Shape.NARROW, TableKey.SIMPLE),
        LOG_10(Shape.NARROW, TableKey.NONE),
        LOG_60(Shape.WIDE, TableKey.NONE),
        /** Looked up by the first column of its key. */
        PREFIXED(Shape.NARROW, TableKey.COMPOSITE),
        /** Goes into a lake when a row says so. */
        LAKE(Shape.NARROW, TableKey.SIMPLE),
        /** Empty before every measurement. */
        FRESH(Shape.NARROW, TableKey.SIMPLE),
        /** Empty before every measurement, and tiered as every table is by default. */
        TIERED(Shape.NARROW, TableKey.SIMPLE);

        private final Shape shape;
        private final TableKey key;

        Table(Shape shape, TableKey key) {
            this.shape = shape;
            this.key = key;
        }

        Shape shape() {
            return shape;
        }
    }

    private final BenchedSystem system;
    private final DriverProcess driver;
    private final Path logs;
    private final Scale scale;
    private final Map<Table, String> names = new HashMap<>();
    private int tablesCreated;
    private @Nullable DriverProcess flinkDriver;

    private Session(BenchedSystem system, DriverProcess driver, Path logs, Scale scale) {
        this.system = system;
        this.driver = driver;
        this.logs = logs;
        this.scale = scale;
    }

    static Session start(BenchedSystem system, Path logs, Scale scale) throws IOException {
        boolean started = false;
        try {
            system.start();
            DriverProcess driver =
                    DriverProcess.start(
                            system.name(),
                            system.driver(),
                            logs.resolve(system.name() + "-driver.log"));
            started = true;
            return new Session(system, driver, logs, scale);
        } finally {
            if (!started) {
                system.close();
            }
        }
    }

    String name() {
        return system.name();
    }

    /** Makes a new, empty table the one that rows work with; the one before it is dropped. */
    void recreate(Table table) throws IOException {
        String before = names.remove(table);
        if (before != null) {
            driver.run(new Fields("drop").with("table", before));
        }
        String name = table.name().toLowerCase(Locale.ROOT) + "_" + tablesCreated++;
        driver.run(
                new Fields("create")
                        .with("table", name)
                        .with("shape", table.shape)
                        .with("key", table.key)
                        .with("tiered", table == Table.TIERED));
        names.put(table, name);
    }

    boolean has(Table table) {
        return names.containsKey(table);
    }

    /** An operation on the present table. */
    Fields operation(String operation, Table table) {
        return new Fields(operation).with("table", names.get(table));
    }

    /** Name of the present table. */
    String nameOf(Table table) {
        return names.get(table);
    }

    /** Where the present table is in the lake. */
    Path inLake(Table table) {
        return system.warehouse().resolve("default").resolve(names.get(table));
    }

    /** Runs an operation outside of any measurement. */
    Fields prepare(Fields operation) throws IOException {
        driver.begin(operation);
        Fields result = driver.end();
        awaitQuiet();
        return result;
    }

    /** Something that happens while an operation runs. */
    interface Disturbance {
        void happen() throws IOException;
    }

    Measurement measure(String row, int repetition, Fields operation) throws IOException {
        return measure(driver, row, repetition, operation, () -> {});
    }

    /** Measures an operation that is a Flink job. */
    Measurement measureJob(String row, int repetition, Fields operation) throws IOException {
        return measure(flinkDriver(), row, repetition, operation, () -> {});
    }

    private DriverProcess flinkDriver() throws IOException {
        if (flinkDriver == null) {
            JavaCommand command = system.flinkDriver();
            flinkDriver =
                    command.equals(system.driver())
                            ? driver
                            : DriverProcess.start(
                                    name() + " in Flink",
                                    command,
                                    logs.resolve(name() + "-flink.log"));
        }
        return flinkDriver;
    }

    Measurement measureCrash(String row, int repetition, Fields operation) throws IOException {
        return measure(driver, row, repetition, operation, () -> system.crash(processes()));
    }

    private Measurement measure(
            DriverProcess by, String row, int repetition, Fields operation, Disturbance disturbance)
            throws IOException {
        by.begin(operation);
        ProcessUse before = ProcessUse.of(processes());
        disturbance.happen();
        Fields result = by.end();
        ProcessUse atEnd = ProcessUse.of(processes());
        awaitQuiet();
        Map<String, Long> pids = processes();
        ProcessUse after = ProcessUse.of(pids);
        Map<String, Long> resident = new LinkedHashMap<>();
        pids.forEach((role, pid) -> resident.put(role, ProcessUse.residentBytes(pid)));
        Map<String, String> figures = new HashMap<>(result.values());
        return new Measurement(
                row,
                name(),
                repetition,
                Long.parseLong(figures.remove("rows")),
                Double.parseDouble(figures.remove("seconds")),
                figures,
                after.since(before),
                resident,
                size(system.dataDirectory()),
                atEnd.otherCoresSince(before));
    }

    private Map<String, Long> processes() {
        Map<String, Long> pids = new LinkedHashMap<>();
        pids.put(CLIENT, driver.pid());
        pids.putAll(system.processes());
        if (flinkDriver != null && flinkDriver != driver) {
            pids.put(FLINK, flinkDriver.pid());
        }
        ProcessHandle.of(driver.pid())
                .ifPresent(
                        process ->
                                process.children()
                                        .filter(ProcessHandle::isAlive)
                                        .forEach(child -> pids.put(SERVER, child.pid())));
        return pids;
    }

    /**
     * Waits, if the scale says so, until compactions and the like are over, so that nobody's work
     * slows the next one.
     */
    void awaitQuiet() {
        if (!scale.settles()) {
            return;
        }
        long deadline = System.nanoTime() + MAX_UNQUIET_NANOS;
        ProcessUse before = ProcessUse.of(processes());
        while (System.nanoTime() < deadline) {
            LockSupport.parkNanos(LOOK_NANOS);
            ProcessUse now = ProcessUse.of(processes());
            double seconds = (now.nanos() - before.nanos()) / 1e9;
            if ((now.totalSeconds() - before.totalSeconds()) / seconds < QUIET_CORES) {
                return;
            }
            before = now;
        }
    }

    private static long size(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return 0;
        }
        long bytes = 0;
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                try {
                    bytes += Files.size(file);
                } catch (NoSuchFileException e) {
                    // A compaction removed it.
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return bytes;
    }

    @Override
    public void close() {
        try (BenchedSystem ending = system;
                DriverProcess client = driver) {
            if (flinkDriver != null && flinkDriver != driver) {
                flinkDriver.close();
            }
        }
    }
}
