package io.thermocline.benchmarks.flink;

import io.thermocline.benchmarks.driver.Fields;
import io.thermocline.benchmarks.driver.Latencies;
import io.thermocline.benchmarks.driver.OperationRunner;
import io.thermocline.benchmarks.driver.Operations;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.jobgraph.JobGraph;

/** The operations that are Flink jobs, each in a session of its own. */
public final class FlinkOperations implements OperationRunner {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long START_SECONDS = 120;
    private static final long LAST_ROW_SECONDS = 600;
    private static final long CHECKPOINT_MILLIS = 10_000;

    private final Sessions sessions;
    private final Runnable begin;
    private final Map<String, TableKey> keys = new HashMap<>();
    private final Map<String, Shape> shapes = new HashMap<>();

    /**
     * @param location what the dialect needs to find its system
     * @param begin is run when the measured part of an operation starts
     */
    public FlinkOperations(Dialect dialect, String location, Runnable begin) {
        this.sessions = new Sessions(dialect, location);
        this.begin = begin;
    }

    @Override
    public Fields run(Fields command) throws Exception {
        return switch (command.name()) {
            case "create" -> create(command);
            case "drop" -> drop(command);
            case "write" -> write(command);
            case "read" -> read(command);
            case "lookup-join" -> lookupJoin(command);
            case "freshness" -> freshness(command);
            default -> throw new IllegalArgumentException("unknown operation: " + command.line());
        };
    }

    private Fields create(Fields command) {
        String table = command.get("table");
        TableKey key = TableKey.valueOf(command.get("key"));
        Shape shape = Shape.valueOf(command.get("shape"));
        sessions.createTable(table, shape, key);
        keys.put(table, key);
        shapes.put(table, shape);
        return new Fields("END");
    }

    private Fields drop(Fields command) {
        sessions.dropTable(command.get("table"));
        return new Fields("END");
    }

    private Fields write(Fields command) throws Exception {
        String table = command.get("table");
        Shape shape = shapes.getOrDefault(table, Shape.NARROW);
        TableKey key = keys.getOrDefault(table, TableKey.SIMPLE);
        Sessions.Open session = sessions.streaming(CHECKPOINT_MILLIS);
        session.addRows(RowSource.of(session.streams(), shape, key, command));
        begin.run();
        JobClient job = session.submit("INSERT INTO " + table + " SELECT * FROM rows_to_write");
        return Operations.result(command.number("rows"), netNanos(job));
    }

    /** How long a job that ends has run: not its planning, but everything from its start. */
    private static long netNanos(JobClient job) throws Exception {
        return job.getJobExecutionResult().get().getNetRuntime(TimeUnit.MILLISECONDS)
                * NANOS_PER_MILLI;
    }

    /**
     * Reads a table into a sink that touches every value. A batch query ends by itself; a stream is
     * read until as many rows are there as the table has keys.
     */
    private Fields read(Fields command) throws Exception {
        long rows = command.number("rows");
        boolean batch = command.get("mode").equals("batch");
        Arrivals arrivals = Arrivals.ofState(rows);
        Sessions.Open session = batch ? sessions.batch() : sessions.streaming(CHECKPOINT_MILLIS);
        session.addArrivals();
        begin.run();
        long before = System.nanoTime();
        JobClient job =
                session.submit(
                        "INSERT INTO "
                                + Sessions.ARRIVALS
                                + " SELECT * FROM `"
                                + command.get("table")
                                + "`");
        long submitted = System.nanoTime();
        long nanos;
        if (batch) {
            nanos = netNanos(job);
        } else {
            arrivals.await(LAST_ROW_SECONDS);
            nanos = System.nanoTime() - submitted;
            end(job);
        }
        if (arrivals.rows() != rows) {
            throw new IllegalStateException(
                    command.get("table") + " has " + rows + " rows, read were " + arrivals.rows());
        }
        return Operations.result(rows, nanos)
                .with("checksum", arrivals.checksum())
                .with("planMs", (submitted - before) / NANOS_PER_MILLI)
                .with("firstRowMs", (arrivals.firstNanos() - submitted) / NANOS_PER_MILLI);
    }

    /** Random keys, all of which have a row, joined with every column of theirs. */
    private Fields lookupJoin(Fields command) throws Exception {
        long probes = command.number("count");
        Arrivals arrivals = Arrivals.ofState(probes);
        Sessions.Open session = sessions.streaming(CHECKPOINT_MILLIS);
        session.addArrivals();
        session.addProbes(probes, command.number("keys"));
        begin.run();
        JobClient job =
                session.submit(
                        "INSERT INTO "
                                + Sessions.ARRIVALS
                                + " SELECT t.* FROM "
                                + Sessions.PROBES
                                + " AS p JOIN "
                                + command.get("table")
                                + " FOR SYSTEM_TIME AS OF p.proctime AS t ON p.k = t.k");
        Fields result = Operations.result(probes, netNanos(job));
        if (arrivals.rows() != probes) {
            throw new IllegalStateException(
                    probes + " keys were looked up, " + arrivals.rows() + " rows were found");
        }
        return result;
    }

    /** From the source of a job that writes to the sink of one that reads the table. */
    private Fields freshness(Fields command) throws Exception {
        int rate = (int) command.number("rate");
        int warm = (int) (rate * command.number("warmUpSeconds"));
        int count = warm + (int) (rate * command.number("seconds"));
        Arrivals arrivals = Arrivals.ofTimedRows(count);
        Sessions.Open reading = sessions.streaming(CHECKPOINT_MILLIS);
        reading.addArrivals();
        JobClient reader =
                reading.submit(
                        "INSERT INTO "
                                + Sessions.ARRIVALS
                                + " SELECT * FROM "
                                + command.get("table"));
        awaitRunning(reader);
        Sessions.Open writing = sessions.streaming(CHECKPOINT_MILLIS);
        writing.addRows(RowSource.timed(writing.streams(), count, command.number("keys"), rate));
        JobClient writer =
                writing.submit(
                        "INSERT INTO " + command.get("table") + " SELECT * FROM rows_to_write");
        while (arrivals.rows() < warm && !writer.getJobStatus().get().isTerminalState()) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        begin.run();
        long start = System.nanoTime();
        arrivals.await(LAST_ROW_SECONDS);
        Fields result = Operations.result(count - warm, System.nanoTime() - start);
        end(reader);
        writer.getJobExecutionResult().get();
        Latencies.report(result, "", Arrays.copyOfRange(arrivals.delays(), warm, count));
        return result;
    }

    public static void awaitRunning(JobClient job) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (job.getJobStatus().get() != JobStatus.RUNNING) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "the job does not run: " + job.getJobStatus().get());
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Cancels a job and waits until it has ended. */
    public static void end(JobClient job) throws Exception {
        job.cancel().get();
        while (!job.getJobStatus().get().isGloballyTerminalState()) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** A job that writes timed rows into a table, a checkpoint at a fixed interval. */
    public JobClient writeTimedRows(String table, long keys, int rate, long checkpointMillis) {
        Sessions.Open session = sessions.streaming(checkpointMillis);
        session.addRows(RowSource.timed(session.streams(), Long.MAX_VALUE, keys, rate));
        return session.submit("INSERT INTO " + table + " SELECT * FROM rows_to_write");
    }

    /** Writes rows into a table, so many between two checkpoints, for so many checkpoints. */
    public void writeByCheckpoints(String table, long keys, int rows, int checkpoints)
            throws Exception {
        Sessions.Open session = sessions.withoutCheckpoints();
        session.addRows(RowSource.perCheckpoint(session.streams(), keys, rows));
        JobGraph graph = session.graph("INSERT INTO " + table + " SELECT * FROM rows_to_write");
        try (CheckpointedJob job = CheckpointedJob.start(graph)) {
            for (int i = 1; i <= checkpoints; i++) {
                long expected = (long) i * rows;
                job.await(() -> RowSource.emitted() >= expected);
                job.checkpoint();
            }
            // The sink commits what the checkpoint before has before it takes part in the next one.
            job.checkpoint();
        }
    }

    @Override
    public void close() {
        // Every operation ends its jobs.
    }
}
