package io.thermocline.hotstore.local.bucket;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Runs tasks one after another, in order, on threads of a shared pool. Where the pool takes none,
 * because it is shut down or gets no thread, the calling thread runs them: after a shutdown each
 * finds out by itself that it comes too late. Thread-safe.
 */
public final class SerialExecutor implements Executor {

    /** Tasks run before the thread is given back, so that one queue cannot keep it for ever. */
    private static final int TASKS_PER_TURN = 64;

    private final Executor pool;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>(); // guarded by itself
    private boolean running; // guarded by tasks

    public SerialExecutor(Executor pool) {
        this.pool = pool;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        }
        while (!handOver() && runTurn()) {
            // The pool takes nothing any more.
        }
    }

    private boolean handOver() {
        try {
            pool.execute(this::runTurns);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // Without a thread the queue would stand still for ever.
            return false;
        }
    }

    private void runTurns() {
        while (runTurn() && !handOver()) {
            // The pool takes nothing any more.
        }
    }

    /** Whether there may be more to do. */
    private boolean runTurn() {
        for (int i = 0; i < TASKS_PER_TURN; i++) {
            Runnable task;
            synchronized (tasks) {
                task = tasks.poll();
                if (task == null) {
                    running = false;
                    return false;
                }
            }
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                // Tasks report their own failures; one that does not must not stop the others.
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            }
        }
        return true;
    }
}
