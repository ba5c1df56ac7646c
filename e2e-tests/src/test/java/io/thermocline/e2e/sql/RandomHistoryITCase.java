package io.thermocline.e2e.sql;

import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TimeZone;
import java.util.stream.LongStream;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random histories through SQL: batch union, streaming, both tiers, lookups and the plain lake
 * table must agree with the model. System property {@code thermocline.history.seeds} takes {@code
 * FROM-TO}.
 */
class RandomHistoryITCase {

    private static final String SEEDS =
            System.getProperty(
                    "thermocline.history.seeds",
                    Boolean.getBoolean("thermocline.test.full") ? "1-60" : "1");
    private static final List<String> ZONES =
            List.of("UTC", "Asia/Shanghai", "America/St_Johns", "Pacific/Chatham");

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(4)
                            .build());

    @TempDir private static Path warehouse;

    private static ServerProcess server;

    private final TimeZone zoneBefore = TimeZone.getDefault();

    @BeforeAll
    static void start() {
        server = ServerProcess.ofWarehouse(warehouse);
    }

    @AfterAll
    static void stop() throws Exception {
        server.stop();
    }

    @AfterEach
    void restoreZone() {
        TimeZone.setDefault(zoneBefore);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everyReaderAgreesWithTheModel(long seed) throws Exception {
        Random random = new Random(~seed);
        TimeZone.setDefault(TimeZone.getTimeZone(pick(ZONES, random)));
        String sessionZone = ZoneId.of(pick(ZONES, random)).getId();
        boolean objectReuse = random.nextBoolean();
        SqlSession session =
                new SqlSession(
                        warehouse,
                        lake(),
                        1 + random.nextInt(3),
                        Map.of(
                                "table.local-time-zone",
                                sessionZone,
                                "pipeline.object-reuse",
                                String.valueOf(objectReuse)));
        RandomHistory history = new RandomHistory(seed, session, lake(), server);
        try {
            history.run();
        } catch (Exception | AssertionError e) {
            throw new AssertionError(
                    "seed %d, zone %s, session zone %s, object reuse %s:%n%s"
                            .formatted(
                                    seed,
                                    TimeZone.getDefault().getID(),
                                    sessionZone,
                                    objectReuse,
                                    history.story()),
                    e);
        }
    }

    String lake() {
        return "paimon";
    }

    static LongStream seeds() {
        return seeds(SEEDS);
    }

    static LongStream seeds(String seeds) {
        String[] range = seeds.split("-");
        return LongStream.rangeClosed(
                Long.parseLong(range[0]), Long.parseLong(range[range.length - 1]));
    }

    private static <T> T pick(List<T> from, Random random) {
        return from.get(random.nextInt(from.size()));
    }
}
