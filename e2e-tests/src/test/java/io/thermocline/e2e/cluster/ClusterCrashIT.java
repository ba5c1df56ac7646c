package io.thermocline.e2e.cluster;

import org.junit.jupiter.api.Test;

/** The server and a TaskManager die, and then the whole cluster: a checkpoint is left. */
class ClusterCrashIT extends CrashHistory {

    @Test
    void everyAcknowledgedRowIsThereOnce() throws Exception {
        run("2.2", "iceberg", 1, Kept.CHECKPOINT_OF_A_KILLED_CLUSTER);
    }
}
