package io.thermocline.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.thermocline.e2e.cluster.Workbench.RunningCommand;
import io.thermocline.lake.Attachment.State;
import io.thermocline.lake.LakeBinding;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.apache.flink.table.catalog.ObjectPath;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A table that the lake's own connector makes and writes gets a hot tier and loses it again, by
 * sessions that are killed with {@code kill -9} in the midst of the statement, some of them
 * together with the hot store's server. The next session says the same statement or the opposite
 * one, and finds the rows of a model.
 */
@EnabledIfSystemProperty(named = "thermocline.test.full", matches = "true")
class AttachCrashIT {

    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration POLL = Duration.ofMillis(5);

    /** So many that it takes a while to take them over. */
    private static final int ROWS = 100_000;

    private static final int KILLS = 4;

    /** Each write changes one row of so many. */
    private static final int STRIDE = 4;

    /** Draining such a write takes longer. */
    private static final long DRAIN_MILLIS = 150;

    private static final ObjectPath PATH = new ObjectPath("db", "t");
    private static final int VERIFICATION_COLUMNS = 13;
    private static final int AGREES = 11;

    private static final String SESSION =
            """
            SET 'execution.runtime-mode' = 'batch';
            SET 'table.dml-sync' = 'true';
            CREATE CATALOG plain WITH ('type' = '%1$s', %2$s 'warehouse' = '%3$s',
              'cache-enabled' = 'false');
            CREATE DATABASE IF NOT EXISTS db;
            USE db;
            CREATE TEMPORARY TABLE ids (id BIGINT) WITH ('connector' = 'datagen',
              'number-of-rows' = '%4$d', 'rows-per-second' = '10000000',
              'fields.id.kind' = 'sequence', 'fields.id.start' = '0', 'fields.id.end' = '%5$d');
            """;

    private static final String CREATE =
            """
            CREATE TABLE plain.db.t (id BIGINT, v STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (%s);
            INSERT INTO plain.db.t SELECT id, 'g0' FROM ids;
            """;

    private static final String WRITE =
            "INSERT INTO %s SELECT id, '%s' FROM ids WHERE MOD(id, %d) = %d;\n";

    private static final String SUMS =
            "SELECT v, COUNT(*), COUNT(DISTINCT id), SUM(id), SUM(id * MOD(id, 1009)) FROM %s"
                    + " GROUP BY v ORDER BY v;\n";

    /** Shows that the statement after it has its turn. */
    private static final String MARK = "SET 'pipeline.name' = '%s';\n";

    @TempDir private Path directory;

    /** The value of each id. */
    private final String[] model = new String[ROWS];

    private Workbench bench;
    private LakeCatalog catalog;
    private String lake;
    private Random random;
    private int writes;

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void everyRowIsThereWhateverIsKilled(String lakeName) throws Exception {
        long seed = Long.getLong("thermocline.test.seed", System.nanoTime());
        System.out.println(lakeName + ", seed " + seed + " (-Dthermocline.test.seed=" + seed + ")");
        random = new Random(seed);
        lake = lakeName;
        Arrays.fill(model, "g0");
        bench = new Workbench(directory, "2.1", lake);
        Files.createDirectories(bench.warehouse());
        ClassLoader loader = getClass().getClassLoader();
        catalog =
                Objects.requireNonNull(LakeBinding.seenBy(loader).get(lake))
                        .open(new LakeConfig(lake, bench.warehouse().toString(), Map.of()), loader);
        try {
            run();
        } finally {
            catalog.close();
            bench.close();
        }
    }

    private void run() throws Exception {
        Script script = new Script();
        script.text.append(
                CREATE.formatted(
                        lake.equals("paimon")
                                ? "'bucket' = '2'"
                                : "'format-version' = '2', 'write.upsert.enabled' = 'true'"));
        // the first one is not killed: it tells how long it takes
        script.mark("measured").alter(true);
        boolean hot = true;
        long attachMillis = 0;
        int inTime = 0;
        for (int i = 0; i < KILLS; i++) {
            boolean attaches = !hot;
            script.write(hot).check(hot).mark("killed").alter(attaches);
            RunningCommand session = script.start();
            if (i == 0) {
                attachMillis = measureAttach(session);
            }
            long pause = random.nextLong(attaches ? attachMillis / 8 + 1 : DRAIN_MILLIS);
            boolean within = kill(session, attaches, pause, random.nextBoolean());
            String as =
                    "%s, kill %d, %s, %d ms after its begin"
                            .formatted(lake, i, attaches ? "attach" : "detach", pause);
            System.out.println(as + (within ? "" : ", too late"));
            inTime += within ? 1 : 0;
            script.checkOutput(as, session);
            script = new Script();
            // after the first kill the same one, so that there is something to attach
            hot = attaches == (i == 0 || random.nextBoolean());
            script.alter(hot).check(hot);
        }
        assertThat(inTime)
                .as("kills in the midst of the statement")
                .isGreaterThanOrEqualTo(KILLS / 2);
        if (hot) {
            script.alter(false);
        }
        script.check(false);
        RunningCommand last = script.start();
        last.await(LIMIT).succeeded();
        script.checkOutput("last", last);
    }

    /** From the statement's turn until the table has its hot tier. */
    private long measureAttach(RunningCommand session) {
        awaitTurn(session, "measured");
        awaitWhile(session, () -> state() != State.ATTACHING);
        long begin = System.nanoTime();
        awaitWhile(session, () -> state() != State.ATTACHED);
        return Duration.ofNanos(System.nanoTime() - begin).toMillis();
    }

    /** Kills the session a while after the state has begun to move; says if it was in time. */
    private boolean kill(
            RunningCommand session, boolean attaches, long pauseMillis, boolean killsServer)
            throws Exception {
        State moving = attaches ? State.ATTACHING : State.DRAINING;
        awaitTurn(session, "killed");
        awaitWhile(session, () -> state() != moving);
        Duration pause = Duration.ofMillis(pauseMillis + 1);
        await().pollDelay(pause).atMost(pause.plus(LIMIT)).until(() -> true);
        List<ProcessHandle> victims = new ArrayList<>(List.of(session.process().toHandle()));
        if (killsServer) {
            victims.addAll(bench.servers());
        }
        victims.forEach(Workbench::kill);
        return state() == moving;
    }

    private void awaitTurn(RunningCommand session, String mark) {
        awaitWhile(session, () -> !session.text().contains("'" + mark + "'"));
    }

    private static void awaitWhile(RunningCommand session, BooleanSupplier condition) {
        await().atMost(LIMIT)
                .pollInterval(POLL)
                .until(
                        () -> {
                            boolean over = !condition.getAsBoolean();
                            assertThat(over || session.process().isAlive())
                                    .as("alive; output:%n%s", session.text())
                                    .isTrue();
                            return over;
                        });
    }

    private State state() {
        return catalog.table(PATH).definition().attachment().state();
    }

    /** What a session does, and what it has to print. */
    private final class Script {

        private final StringBuilder text = new StringBuilder();
        private final List<List<String>> expected = new ArrayList<>();
        private int verifications;

        private Script mark(String name) {
            text.append(MARK.formatted(name));
            return this;
        }

        private Script alter(boolean hot) {
            text.append("ALTER TABLE t SET ('hot.enabled' = '").append(hot).append("');\n");
            return this;
        }

        /** Changes some rows, of a plain table with the lake's own connector. */
        private Script write(boolean hot) {
            String value = "g" + ++writes;
            int rest = random.nextInt(STRIDE);
            text.append(WRITE.formatted(hot ? "t" : "plain.db.t", value, STRIDE, rest));
            for (int id = rest; id < ROWS; id += STRIDE) {
                model[id] = value;
            }
            return this;
        }

        private Script check(boolean hot) {
            text.append(SUMS.formatted("t"));
            expected.addAll(sums());
            if (hot) {
                text.append("CALL sys.verify('db.t');\n");
                verifications++;
            } else {
                text.append(SUMS.formatted("plain.db.t"));
                expected.addAll(sums());
            }
            return this;
        }

        private RunningCommand start() throws Exception {
            String options = lake.equals("paimon") ? "" : "'catalog-type' = 'hadoop',";
            String session =
                    SESSION.formatted(lake, options, bench.warehouse().toUri(), ROWS, ROWS - 1);
            return bench.startSql(session + text);
        }

        private void checkOutput(String as, RunningCommand session) throws Exception {
            CommandResult result = session.await(LIMIT);
            List<List<String>> printed = result.rows();
            assertThat(printed.stream().filter(row -> row.size() != VERIFICATION_COLUMNS))
                    .as("%s; output:%n%s", as, result.output())
                    .containsExactlyElementsOf(expected);
            assertThat(printed.stream().filter(row -> row.size() == VERIFICATION_COLUMNS))
                    .as("%s; output:%n%s", as, result.output())
                    .hasSizeGreaterThanOrEqualTo(verifications)
                    .allMatch(row -> row.get(AGREES).equals("TRUE"));
        }
    }

    private List<List<String>> sums() {
        Map<String, long[]> sums = new TreeMap<>();
        for (int id = 0; id < ROWS; id++) {
            long[] sum = sums.computeIfAbsent(model[id], value -> new long[3]);
            sum[0]++;
            sum[1] += id;
            sum[2] += (long) id * (id % 1009);
        }
        List<List<String>> rows = new ArrayList<>();
        sums.forEach(
                (value, sum) ->
                        rows.add(
                                List.of(
                                        value,
                                        String.valueOf(sum[0]),
                                        String.valueOf(sum[0]),
                                        String.valueOf(sum[1]),
                                        String.valueOf(sum[2]))));
        return rows;
    }
}
