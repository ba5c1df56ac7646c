package io.thermocline.lake.iceberg;

import java.util.concurrent.ExecutorService;
import org.apache.iceberg.util.ThreadPools;

/**
 * Iceberg's threads, which all jobs of a process share. A thread keeps the context class loader of
 * whoever needed it first; if that was a job, Flink closes it with the job, and what looks for
 * classes or resources later fails, as the AWS client does.
 */
final class SharedThreads {

    private SharedThreads() {}

    /** Starts those that do not run yet, with Iceberg's own class loader. */
    static void start() {
        Thread caller = Thread.currentThread();
        ClassLoader before = caller.getContextClassLoader();
        caller.setContextClassLoader(ThreadPools.class.getClassLoader());
        try {
            fill(ThreadPools.getWorkerPool(), ThreadPools.WORKER_THREAD_POOL_SIZE);
            fill(ThreadPools.getDeleteWorkerPool(), ThreadPools.DELETE_WORKER_THREAD_POOL_SIZE);
        } finally {
            caller.setContextClassLoader(before);
        }
    }

    /** A pool below its size starts a thread for every task. */
    private static void fill(ExecutorService pool, int size) {
        for (int i = 0; i < size; i++) {
            pool.execute(() -> {});
        }
    }
}
