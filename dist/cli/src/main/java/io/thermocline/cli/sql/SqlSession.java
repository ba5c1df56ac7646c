package io.thermocline.cli.sql;

import io.thermocline.cli.CommandFailure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.table.api.config.TableConfigOptions;
import org.apache.flink.table.client.cli.CliClient;
import org.apache.flink.table.client.gateway.Executor;
import org.apache.flink.table.client.gateway.SingleSessionManager;
import org.apache.flink.table.gateway.SqlGateway;
import org.apache.flink.table.gateway.rest.util.SqlGatewayRestOptions;
import org.apache.flink.table.gateway.service.context.DefaultContext;
import org.apache.flink.util.NetUtils;

/** One session of Flink's SQL client, with its gateway embedded in this process. */
public final class SqlSession implements AutoCloseable {

    private static final String LOOPBACK = "localhost";
    private static final String GATEWAY_PREFIX = "sql-gateway.endpoint.rest.";

    /** Jobs take these from the session that submits them, not from the cluster. */
    private static final int PARALLELISM = 2;

    private static final int MAX_COLUMN_WIDTH = 100;
    private static final Duration CHECKPOINT_INTERVAL = Duration.ofSeconds(3);

    private final NetUtils.Port port;
    private final SqlGateway gateway;
    private final Executor executor;

    private SqlSession(NetUtils.Port port, SqlGateway gateway, Executor executor) {
        this.port = port;
        this.gateway = gateway;
        this.executor = executor;
    }

    /**
     * Opens a session whose jobs run on the cluster behind {@code flink}.
     *
     * @param flink REST address of a session cluster or mini cluster
     * @param settings further session settings, over the defaults
     */
    public static SqlSession open(URI flink, Configuration settings) {
        NetUtils.Port port = NetUtils.getAvailablePort();
        Configuration conf = new Configuration();
        conf.set(DeploymentOptions.TARGET, "remote");
        conf.set(RestOptions.ADDRESS, flink.getHost());
        conf.set(RestOptions.PORT, flink.getPort());
        conf.set(CoreOptions.DEFAULT_PARALLELISM, PARALLELISM);
        conf.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
        conf.setString("sql-client.execution.result-mode", "tableau");
        conf.set(TableConfigOptions.DISPLAY_MAX_COLUMN_WIDTH, MAX_COLUMN_WIDTH);
        conf.setString(GATEWAY_PREFIX + SqlGatewayRestOptions.ADDRESS.key(), LOOPBACK);
        conf.setString(
                GATEWAY_PREFIX + SqlGatewayRestOptions.PORT.key(), String.valueOf(port.getPort()));
        conf.addAll(settings);
        DefaultContext context = new DefaultContext(conf, List.of());
        SqlGateway gateway = new SqlGateway(conf, new SingleSessionManager(context));
        try {
            gateway.start();
        } catch (Exception e) {
            closeQuietly(port, e);
            throw new CommandFailure("The SQL gateway did not start: " + e.getMessage(), e);
        }
        InetSocketAddress address = InetSocketAddress.createUnresolved(LOOPBACK, port.getPort());
        return new SqlSession(port, gateway, Executor.create(context, address, "thermocline"));
    }

    /** Executes statements for their effect; the first that fails ends it. */
    public void initialize(List<String> statements) {
        for (String statement : statements) {
            try {
                executor.configureSession(statement);
            } catch (RuntimeException e) {
                throw new CommandFailure(
                        "The session could not be set up by '"
                                + statement
                                + "': "
                                + SqlFailure.describe(e),
                        e);
            }
        }
    }

    /** Opens Flink's interactive SQL client and returns when the user leaves it. */
    public void interact(Path history) {
        try (CliClient client =
                new CliClient(CliClient.DEFAULT_TERMINAL_FACTORY, executor, history)) {
            client.executeInInteractiveMode();
        }
    }

    Executor executor() {
        return executor;
    }

    @Override
    public void close() throws IOException {
        try {
            executor.close();
        } finally {
            try {
                gateway.stop();
            } finally {
                closePort(port);
            }
        }
    }

    private static void closeQuietly(NetUtils.Port port, Exception cause) {
        try {
            closePort(port);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private static void closePort(NetUtils.Port port) throws IOException {
        try {
            port.close();
        } catch (Exception e) {
            throw new IOException("Cannot release the gateway's port " + port.getPort(), e);
        }
    }
}
