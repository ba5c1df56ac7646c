package io.thermocline.benchmarks.flink;

import static org.apache.flink.runtime.execution.ExecutionState.RUNNING;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.StreamSupport;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

/** A job on a local Flink of its own, with checkpoints when they are asked for. */
final class CheckpointedJob implements AutoCloseable {

    private static final long LOOK_NANOS = 500_000;
    private static final long LIMIT_SECONDS = 120;

    private final MiniCluster cluster;
    private final JobID job;
    private boolean running;

    private CheckpointedJob(MiniCluster cluster, JobID job) {
        this.cluster = cluster;
        this.job = job;
    }

    static CheckpointedJob start(JobGraph graph) throws Exception {
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(new Configuration())
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(Sessions.PARALLELISM)
                                .withRandomPorts()
                                .build());
        cluster.start();
        cluster.submitJob(graph).get();
        return new CheckpointedJob(cluster, graph.getJobID());
    }

    /** Waits for something that the job does. */
    void await(BooleanSupplier condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(
                        "the job, which is "
                                + cluster.getJobStatus(job).get()
                                + ", does not go on");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Makes a checkpoint. */
    void checkpoint() throws Exception {
        await(this::isRunning);
        cluster.triggerCheckpoint(job, CheckpointType.FULL).get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** A job runs before its tasks do. */
    private boolean isRunning() {
        if (running) {
            return true;
        }
        running =
                cluster.getJobStatus(job).join() == JobStatus.RUNNING
                        && StreamSupport.stream(
                                        cluster.getExecutionGraph(job)
                                                .join()
                                                .getAllExecutionVertices()
                                                .spliterator(),
                                        false)
                                .allMatch(task -> task.getExecutionState() == RUNNING);
        return running;
    }

    @Override
    public void close() throws Exception {
        cluster.cancelJob(job).get();
        await(() -> cluster.getJobStatus(job).join().isGloballyTerminalState());
        cluster.close();
    }
}
