package io.thermocline.benchmarks.iceberg;

import io.thermocline.benchmarks.driver.Driver;
import io.thermocline.benchmarks.driver.Fields;
import io.thermocline.benchmarks.driver.Latencies;
import io.thermocline.benchmarks.driver.OperationRunner;
import io.thermocline.benchmarks.driver.Operations;
import io.thermocline.benchmarks.flink.Dialect;
import io.thermocline.benchmarks.flink.FlinkOperations;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;

/** A process that runs Flink jobs with Iceberg's own sink. */
public final class IcebergDriver implements OperationRunner {

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** A loaded machine may be so late with each commit. */
    private static final long PATIENCE_SECONDS = 60;

    private final Path warehouse;
    private final Runnable begin;
    private final FlinkOperations jobs;

    private IcebergDriver(Path warehouse, Runnable begin) {
        this.warehouse = warehouse;
        this.begin = begin;
        this.jobs = new FlinkOperations(Dialect.ICEBERG, warehouse.toString(), begin);
    }

    /** Argument: directory of the warehouse. */
    public static void main(String[] arguments) {
        Driver.serve(begin -> new IcebergDriver(Path.of(arguments[0]), begin));
    }

    @Override
    public Fields run(Fields command) throws Exception {
        return switch (command.name()) {
            case "commit-freshness" -> commitFreshness(command);
            case "hour" -> hour(command);
            default -> jobs.run(command);
        };
    }

    /** Writes at a fixed rate and interval of commits, until there are so many. */
    private Fields commitFreshness(Fields command) throws Exception {
        int rate = (int) command.number("rate");
        int interval = (int) command.number("interval");
        String table = command.get("table");
        CommitWatch watch = new CommitWatch(warehouse.resolve("default").resolve(table));
        long start;
        try (watch) {
            begin.run();
            start = System.nanoTime();
            JobClient job =
                    jobs.writeTimedRows(
                            table,
                            command.number("keys"),
                            rate,
                            TimeUnit.SECONDS.toMillis(interval));
            FlinkOperations.awaitRunning(job);
            watch.await((int) command.number("commits"), interval + PATIENCE_SECONDS);
            FlinkOperations.end(job);
        }
        long[] delays = watch.delays(NANOS_PER_SECOND / rate);
        Fields result = Operations.result(delays.length, System.nanoTime() - start);
        Latencies.report(result, "", delays);
        return result;
    }

    /** As many commits as a time has intervals, each with the rows of one. */
    private Fields hour(Fields command) throws Exception {
        int interval = (int) command.number("interval");
        int rows = (int) command.number("rate") * interval;
        int commits = (int) command.number("seconds") / interval;
        begin.run();
        long start = System.nanoTime();
        jobs.writeByCheckpoints(command.get("table"), command.number("keys"), rows, commits);
        return Operations.result((long) rows * commits, System.nanoTime() - start);
    }

    @Override
    public void close() {
        jobs.close();
    }
}
