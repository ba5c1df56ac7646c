package io.thermocline.benchmarks.driver;

import io.thermocline.benchmarks.driver.TargetTable.RowWriter;
import io.thermocline.benchmarks.driver.TargetTable.ScanTotals;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The operations that the runner can ask for; the same loops for every system. Closes the tables
 * that are open at the end.
 */
final class Operations implements AutoCloseable {

    /** Shares no factor with the row counts in use, so that it permutes them. */
    private static final long SCRAMBLE = 3_000_017;

    private static final double NANOS_PER_SECOND = 1e9;

    private final Target target;
    private final Runnable begin;
    private final Map<String, TargetTable> tables = new HashMap<>();
    private final Map<String, Shape> shapes = new HashMap<>();

    /**
     * @param begin is run when the measured part of an operation starts
     */
    Operations(Target target, Runnable begin) {
        this.target = target;
        this.begin = begin;
    }

    Fields run(Fields command) throws Exception {
        return switch (command.name()) {
            case "create" -> create(command);
            case "drop" -> drop(command);
            case "write" -> write(command);
            case "scan" -> scan(command);
            case "scan-state" -> scanState(command);
            case "lookup" -> new LookupMeasurement(table(command), begin).run(command);
            case "freshness" -> new FreshnessMeasurement(table(command), begin).tail(command);
            case "freshness-lookup" ->
                    new FreshnessMeasurement(table(command), begin).lookup(command);
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
        boolean keyed = Boolean.parseBoolean(command.get("keyed"));
        target.create(name, shape, keyed);
        tables.put(name, target.open(name, shape, keyed));
        shapes.put(name, shape);
        return new Fields("END");
    }

    private Fields drop(Fields command) throws Exception {
        table(command).close();
        tables.remove(command.get("table"));
        target.drop(command.get("table"));
        return new Fields("END");
    }

    /**
     * Keys: {@code sequential}, {@code permuted} (each once, in random order), {@code random} or
     * {@code zipfian}.
     */
    private Fields write(Fields command) throws Exception {
        Shape shape = shapes.get(command.get("table"));
        long rows = command.number("rows");
        long keys = Long.parseLong(command.get("keys", "0"));
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
                            case "permuted" -> (i * SCRAMBLE + 12_345) % rows;
                            case "random" -> random.nextLong(keys);
                            default -> zipfian.next(random);
                        };
                shape.fill(row, key, version);
                writer.write(row, null);
            }
            writer.flush();
            return result(rows, System.nanoTime() - start);
        }
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
        for (TargetTable table : tables.values()) {
            table.close();
        }
    }

    static Fields result(long rows, long nanos) {
        return new Fields("END")
                .with("rows", rows)
                .with("seconds", String.format(Locale.ROOT, "%.6f", nanos / NANOS_PER_SECOND));
    }
}
