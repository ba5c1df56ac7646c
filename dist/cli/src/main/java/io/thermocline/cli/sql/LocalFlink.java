package io.thermocline.cli.sql;

import io.thermocline.cli.CommandFailure;
import java.net.URI;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

/** A Flink mini cluster in this process, with a REST port: jobs live until it is closed. */
public final class LocalFlink implements AutoCloseable {

    /** Enough for several continuous jobs next to a query. */
    private static final int SLOTS = 16;

    private static final MemorySize MANAGED_MEMORY = MemorySize.ofMebiBytes(256);
    private static final MemorySize NETWORK_MEMORY = MemorySize.ofMebiBytes(128);

    private final MiniCluster cluster;
    private final URI restAddress;

    private LocalFlink(MiniCluster cluster, URI restAddress) {
        this.cluster = cluster;
        this.restAddress = restAddress;
    }

    /** Starts the cluster; ports are chosen by the system. */
    public static LocalFlink start() {
        Configuration conf = new Configuration();
        conf.set(RestOptions.ADDRESS, "127.0.0.1");
        conf.set(RestOptions.BIND_ADDRESS, "127.0.0.1");
        conf.set(RestOptions.BIND_PORT, "0");
        conf.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MANAGED_MEMORY);
        conf.set(TaskManagerOptions.NETWORK_MEMORY_MIN, NETWORK_MEMORY);
        conf.set(TaskManagerOptions.NETWORK_MEMORY_MAX, NETWORK_MEMORY);
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(conf)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(SLOTS)
                                .build());
        try {
            cluster.start();
            return new LocalFlink(cluster, cluster.getRestAddress().get());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("Interrupted while Flink was starting.", e);
        } catch (Exception e) {
            throw new CommandFailure("Flink did not start in this process: " + e.getMessage(), e);
        }
    }

    /** Address of the REST endpoint and web UI. */
    public URI restAddress() {
        return restAddress;
    }

    @Override
    public void close() throws Exception {
        cluster.close();
    }
}
