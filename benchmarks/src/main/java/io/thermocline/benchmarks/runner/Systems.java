package io.thermocline.benchmarks.runner;

import io.thermocline.benchmarks.flink.FlinkDriver;
import io.thermocline.benchmarks.floor.FlightEchoTarget;
import io.thermocline.benchmarks.floor.FloorTarget;
import io.thermocline.benchmarks.iceberg.IcebergDriver;
import io.thermocline.benchmarks.thermocline.EmbeddedTarget;
import io.thermocline.benchmarks.thermocline.ServerTarget;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The systems that can take part. */
final class Systems {

    /** The client and its server process, in front of Paimon. */
    static final String SERVER = "thermocline";

    /** The same in front of Iceberg. */
    static final String SERVER_ON_ICEBERG = "thermocline-ice";

    /** The hot store in the client's process. */
    static final String EMBEDDED = "in-process";

    /** RocksDB and Arrow IPC alone. */
    static final String FLOOR = "floor";

    /** A bare Flight exchange. */
    static final String FLIGHT = "flight";

    /** Apache Fluss. */
    static final String FLUSS = "fluss";

    /** Kafka, through Flink's upsert-kafka. */
    static final String KAFKA = "kafka";

    /** Paimon, written by Flink. */
    static final String PAIMON = "paimon";

    /** Iceberg, written by Flink. */
    static final String ICEBERG = "iceberg";

    /** Systems that others are compared with as peers, in the order they are measured. */
    static final List<String> PEERS = List.of(FLUSS, KAFKA, PAIMON, ICEBERG);

    /** Systems that are compared. */
    static final Set<String> OWN = Set.of(SERVER, SERVER_ON_ICEBERG, EMBEDDED);

    /** Heap of a driver that runs Flink jobs. */
    static final String FLINK_HEAP = "-Xmx2g";

    private Systems() {}

    /**
     * The systems of a run, those of this project first.
     *
     * @param peers names of the peers wanted
     */
    static List<BenchedSystem> of(Set<String> peers, RunDirectory directory) {
        List<BenchedSystem> systems = new ArrayList<>();
        systems.add(server(SERVER, PAIMON, directory));
        systems.add(server(SERVER_ON_ICEBERG, ICEBERG, directory));
        systems.add(own(EMBEDDED, EmbeddedTarget.class, directory));
        systems.add(own(FLOOR, FloorTarget.class, directory));
        systems.add(own(FLIGHT, FlightEchoTarget.class, directory));
        for (String peer : PEERS) {
            if (peers.contains(peer)) {
                systems.add(peer(peer, directory));
            }
        }
        return systems;
    }

    private static BenchedSystem server(String name, String lake, RunDirectory directory) {
        Path warehouse = directory.data(name);
        return new OwnSystem(
                name,
                OwnSystem.command(ServerTarget.class, List.of(lake, warehouse.toString())),
                OwnSystem.flinkCommand(
                        FlinkDriver.class, List.of("thermocline", warehouse.toString())),
                // Beside the store, the hot directory holds the server's jars and logs.
                warehouse.resolve(".thermocline/hot/store"),
                warehouse);
    }

    private static BenchedSystem own(String name, Class<?> mainClass, RunDirectory directory) {
        Path data = directory.data(name);
        JavaCommand driver = OwnSystem.command(mainClass, List.of(data.toString()));
        return new OwnSystem(name, driver, driver, data, data);
    }

    private static BenchedSystem peer(String name, RunDirectory directory) {
        return switch (name) {
            case FLUSS -> new FlussSystem(directory);
            case KAFKA -> new KafkaSystem(directory);
            case PAIMON ->
                    lake(
                            name,
                            OwnSystem.flinkCommand(
                                    FlinkDriver.class,
                                    List.of(name, directory.data(name).toString())),
                            directory);
            default ->
                    lake(
                            name,
                            OwnSystem.flinkCommand(
                                    IcebergDriver.class, List.of(directory.data(name).toString())),
                            directory);
        };
    }

    private static BenchedSystem lake(String name, JavaCommand driver, RunDirectory directory) {
        Path data = directory.data(name);
        return new OwnSystem(name, driver, driver, data, data);
    }
}
