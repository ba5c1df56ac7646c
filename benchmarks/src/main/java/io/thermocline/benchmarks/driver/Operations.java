package io.thermocline.benchmarks.driver;

import io.thermocline.benchmarks.driver.TargetTable.LakeWrite;
import io.thermocline.benchmarks.driver.TargetTable.RowWriter;
import io.thermocline.benchmarks.driver.TargetTable.ScanTotals;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The operations that the runner can ask for; the same loops for every system. Closes the tables
 * that are open, and the target, at the end.
 */
public final class Operations implements OperationRunner {

    /** Shares no factor with the row counts in use, so that it permutes them. */
    private static final long SCRAMBLE = 3_000_017;

    private static final double NANOS_PER_SECOND = 1e9;

    private final Target target;
    private final Runnable begin;
    private final Map<String, TargetTable> tables = new HashMap<>();
    private final Map<String, Shape> shapes = new HashMap<>();
    private final Map<String, TableKey> keys = new HashMap<>();

    /**
     * @param begin is run when the measured part of an operation starts
     */
    Operations(Target target, Runnable begin) {
        this.target = target;
        this.begin = begin;
    }

    @Override
    public Fields run(Fields command) throws Exception {
        return switch (command.name()) {
            case "create" -> create(command);
            case "drop" -> drop(command);
            case "write" -> write(command);
            case "scan" -> scan(command);
            case "scan-state" -> scanState(command);
            case "lookup" -> LookupMeasurement.ofKeys(table(command), begin).run(command);
            case "lookup-prefix" ->
                    LookupMeasurement.ofPrefixes(table(command), begin).run(command);
            case "freshness" -> new FreshnessMeasurement(table(command), begin).tail(command);
            case "freshness-lookup" ->
                    new FreshnessMeasurement(table(command), begin).lookup(command);
            case "freshness-union" ->
                    new FreshnessMeasurement(table(command), begin).union(command);
            case "tier" -> tier(command);
            case "hour" -> hour(command);
            case "outage" -> new OutageMeasurement(table(command), begin).run(command);
            default -> throw new IllegalArgumentException("unknown operation: " + command.line());
        };
    }

    private TargetTable table(Fields command) {
        TargetTable table = tables.get(command.get("table"));
        if (table == null) {
            throw new IllegalArgumentException("table " + command.get("table") + " is not open");
        }
        return table;
    }

    private Fields create(Fields command) throws Exception {
        String name = command.get("table");
        Shape shape = Shape.valueOf(command.get("shape"));
        TableKey key = TableKey.valueOf(command.get("key"));
        target.create(name, shape, key, Boolean.parseBoolean(command.get("tiered")));
        tables.put(name, target.open(name, shape, key));
        shapes.put(name, shape);
        keys.put(name, key);
        return new Fields("END");
    }

    private Fields drop(Fields command) throws Exception {
        table(command).close();
        tables.remove(command.get("table"));
        target.drop(command.get("table"));
        return new Fields("END");
    }

    /**
     * Keys: {@code sequential}, {@code permuted} (each at most once, spread over all of them),
     * {@code random} or {@code zipfian}.
     */
    private Fields write(Fields command) throws Exception {
        Shape shape = shapes.get(command.get("table"));
        long rows = command.number("rows");
        long keys = Long.parseLong(command.get("keys", Long.toString(rows)));
        TableKey tableKey = this.keys.get(command.get("table"));
        long version = command.number("version");
        String order = command.get("order");
        SplittableRandom random = new SplittableRandom(version);
        ZipfianKeys zipfian = new ZipfianKeys(order.equals("zipfian") ? keys : 1);
        BenchRow row = new BenchRow(shape);
        try (RowWriter writer = table(command).writer()) {
            begin.run();
            long start = System.nanoTime();
            for (long i = 0; i < rows; i++) {
                long key =
                        switch (order) {
                            case "sequential" -> i;
                            case "permuted" -> permuted(i, keys);
                            case "random" -> random.nextLong(keys);
                            default -> zipfian.next(random);
                        };
                tableKey.fill(shape, row, key, version);
                writer.write(row, null);
            }
            writer.flush();
            return result(rows, System.nanoTime() - start);
        }
    }

    /** The n-th key of a random order of all keys. */
    public static long permuted(long n, long keys) {
        return (n * SCRAMBLE + 12_345) % keys;
    }

    private Fields tier(Fields command) throws Exception {
        TargetTable table = table(command);
        begin.run();
        long start = System.nanoTime();
        LakeWrite written = table.tier();
        return result(written.rows(), System.nanoTime() - start)
                .with("files", written.files())
                .with("bytes", written.bytes());
    }

    /**
     * What a tiered table sees in a time, without waiting: so many rows of random keys and then a
     * round for every interval, and maintenance as often as it happens.
     */
    private Fields hour(Fields command) throws Exception {
        TargetTable table = table(command);
        long interval = command.number("interval");
        long rows = command.number("rate") * interval;
        long rounds = command.number("seconds") / interval;
        long roundsPerMaintenance = command.number("maintenanceSeconds") / interval;
        SplittableRandom random = new SplittableRandom(rounds);
        BenchRow row = new BenchRow(Shape.NARROW);
        begin.run();
        long start = System.nanoTime();
        try (RowWriter writer = table.writer()) {
            for (long round = 1; round <= rounds; round++) {
                for (long i = 0; i < rows; i++) {
                    Shape.NARROW.fill(row, random.nextLong(command.number("keys")), round);
                    writer.write(row, null);
                }
                writer.flush();
                table.tier();
                if (round % roundsPerMaintenance == 0) {
                    table.maintainLake();
                }
            }
        }
        return result(rows * rounds, System.nanoTime() - start);
    }

    private Fields scan(Fields command) throws Exception {
        int[] columns =
                Arrays.stream(command.get("columns").split(","))
                        .mapToInt(Integer::parseInt)
                        .toArray();
        TargetTable table = table(command);
        table.prepareScan(columns);
        begin.run();
        long start = System.nanoTime();
        ScanTotals totals = table.scan(columns);
        return result(totals.rows(), System.nanoTime() - start).with("checksum", totals.checksum());
    }

    private Fields scanState(Fields command) throws Exception {
        TargetTable table = table(command);
        begin.run();
        long start = System.nanoTime();
        ScanTotals totals = table.scanState();
        return result(totals.rows(), System.nanoTime() - start).with("checksum", totals.checksum());
    }

    @Override
    public void close() throws Exception {
        try {
            for (TargetTable table : tables.values()) {
                table.close();
            }
        } finally {
            target.close();
        }
    }

    /** The answer to an operation that was measured. */
    public static Fields result(long rows, long nanos) {
        return new Fields("END")
                .with("rows", rows)
                .with("seconds", String.format(Locale.ROOT, "%.6f", nanos / NANOS_PER_SECOND));
    }
}
