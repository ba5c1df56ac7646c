package io.thermocline.hotstore.local.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class SerialExecutorTest {

    private final List<String> done = new ArrayList<>();

    @Test
    void tasksRunWhereTheyAreWhenThePoolGetsNoThread() {
        SerialExecutor executor =
                new SerialExecutor(
                        task -> {
                            throw new OutOfMemoryError("unable to create native thread");
                        });
        executor.execute(() -> done.add("first"));
        executor.execute(() -> done.add("second"));
        assertThat(done).containsExactly("first", "second");
    }

    @Test
    void tasksRunInOrderWhenThePoolIsShutDownInBetween() {
        List<Runnable> taken = new ArrayList<>();
        SerialExecutor executor =
                new SerialExecutor(
                        task -> {
                            if (!taken.isEmpty()) {
                                throw new RejectedExecutionException("shut down");
                            }
                            taken.add(task);
                        });
        executor.execute(() -> done.add("first"));
        executor.execute(() -> done.add("second"));
        assertThat(done).isEmpty();
        taken.get(0).run();
        executor.execute(() -> done.add("third"));
        assertThat(done).containsExactly("first", "second", "third");
    }
}
