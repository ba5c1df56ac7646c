package io.thermocline.hotstore.local;

/** A thread that publishes rounds. */
final class PublishThread extends Thread {

    PublishThread(Runnable task) {
        super(task, "thermocline-publish");
        setDaemon(true);
    }

    static boolean isCurrent() {
        return Thread.currentThread() instanceof PublishThread;
    }
}
