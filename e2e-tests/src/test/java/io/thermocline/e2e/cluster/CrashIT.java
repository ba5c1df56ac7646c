package io.thermocline.e2e.cluster;

import org.junit.jupiter.api.Test;

/** The server and a TaskManager die; the counting job is stopped with a savepoint. */
class CrashIT extends CrashHistory {

    @Test
    void everyAcknowledgedRowIsThereOnce() throws Exception {
        run("2.1", "paimon", 2, Kept.SAVEPOINT);
    }
}
