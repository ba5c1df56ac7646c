package io.thermocline.benchmarks.runner;

import io.thermocline.benchmarks.floor.FlightEchoTarget;
import io.thermocline.benchmarks.floor.FloorTarget;
import io.thermocline.benchmarks.thermocline.EmbeddedTarget;
import io.thermocline.benchmarks.thermocline.ServerTarget;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The systems that can take part. */
final class Systems {

    /** The client and its server process. */
    static final String SERVER = "thermocline";

    /** The hot store in the client's process. */
    static final String EMBEDDED = "in-process";

    /** RocksDB and Arrow IPC alone. */
    static final String FLOOR = "floor";

    /** A bare Flight exchange. */
    static final String FLIGHT = "flight";

    /** Apache Fluss. */
    static final String FLUSS = "fluss";

    /** Systems that others are compared with as peers. */
    static final Set<String> PEERS = Set.of(FLUSS);

    private Systems() {}

    /**
     * The systems of a run, those of this project first.
     *
     * @param peers names of the peers wanted
     */
    static List<BenchedSystem> of(Set<String> peers, RunDirectory directory) {
        List<BenchedSystem> systems = new ArrayList<>();
        Path warehouse = directory.data(SERVER);
        // Beside the store, the hot directory holds the server's jars and logs.
        systems.add(
                new OwnSystem(
                        SERVER,
                        ServerTarget.class.getName(),
                        warehouse,
                        warehouse.resolve(".thermocline/hot/store")));
        systems.add(own(EMBEDDED, EmbeddedTarget.class, directory));
        systems.add(own(FLOOR, FloorTarget.class, directory));
        systems.add(own(FLIGHT, FlightEchoTarget.class, directory));
        if (peers.contains(FLUSS)) {
            systems.add(new FlussSystem(directory));
        }
        return systems;
    }

    private static BenchedSystem own(String name, Class<?> mainClass, RunDirectory directory) {
        Path data = directory.data(name);
        return new OwnSystem(name, mainClass.getName(), data, data);
    }
}
