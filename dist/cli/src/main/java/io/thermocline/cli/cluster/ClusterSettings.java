package io.thermocline.cli.cluster;

import io.thermocline.cli.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.configuration.BlobServerOptions;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;

/**
 * What the user may say about a session cluster.
 *
 * @param taskManagers number of TaskManager processes
 * @param slots slots of each
 * @param options Flink options over the defaults
 */
public record ClusterSettings(int taskManagers, int slots, Map<String, String> options) {

    private static final MemorySize JOB_MANAGER_MEMORY = MemorySize.ofMebiBytes(1024);
    private static final MemorySize TASK_MANAGER_MEMORY = MemorySize.ofMebiBytes(1536);

    /** The cluster's configuration, with ports that are free now. */
    Configuration toConfiguration(Path directory) {
        Configuration conf = new Configuration();
        conf.set(JobManagerOptions.BIND_HOST, "127.0.0.1");
        conf.set(JobManagerOptions.ADDRESS, "127.0.0.1");
        conf.set(JobManagerOptions.PORT, freePort());
        conf.set(JobManagerOptions.TOTAL_PROCESS_MEMORY, JOB_MANAGER_MEMORY);
        conf.set(TaskManagerOptions.BIND_HOST, "127.0.0.1");
        conf.set(TaskManagerOptions.HOST, "127.0.0.1");
        conf.set(TaskManagerOptions.NUM_TASK_SLOTS, slots);
        conf.set(TaskManagerOptions.TOTAL_PROCESS_MEMORY, TASK_MANAGER_MEMORY);
        int rest = freePort();
        conf.set(RestOptions.ADDRESS, "127.0.0.1");
        conf.set(RestOptions.BIND_ADDRESS, "127.0.0.1");
        conf.set(RestOptions.PORT, rest);
        conf.set(RestOptions.BIND_PORT, String.valueOf(rest));
        conf.set(BlobServerOptions.PORT, "0");
        conf.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                directory.resolve("checkpoints").toUri().toString());
        // Flink's default is shared by all clusters of a host; what killed ones left there is read
        // again at the next start.
        conf.set(CoreOptions.TMP_DIRS, temporaryDirectory(directory).toString());
        conf.addAll(Configuration.fromMap(options));
        return conf;
    }

    /** Where the processes of a cluster keep files that end with them, unless its options say. */
    static Path temporaryDirectory(Path directory) {
        return directory.resolve("tmp");
    }

    /** The configuration as {@code config.yaml}: one flat key a line. */
    static String toYaml(Configuration conf) {
        StringBuilder yaml = new StringBuilder();
        ConfigurationUtils.convertConfigToWritableLines(conf, true)
                .forEach(line -> yaml.append(line).append('\n'));
        return yaml.toString();
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new CommandFailure("No free port on the loopback address.", e);
        }
    }
}
