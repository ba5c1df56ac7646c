package io.thermocline.sink.testkit;

import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobInfo;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;
import org.apache.flink.runtime.metrics.groups.InternalSinkWriterMetricGroup;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.streaming.runtime.tasks.StreamTaskActionExecutor;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxExecutorImpl;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailboxImpl;
import org.apache.flink.util.UserCodeClassLoader;

/** A task's context whose mailbox and clock the test drives from its own thread. */
public final class TestWriterContext implements WriterInitContext, ProcessingTimeService {

    private record Timer(long atMillis, ProcessingTimeCallback callback) {}

    private final JobID job;
    private final int subtask;
    private final MailboxExecutor mailbox;
    private final SinkWriterMetricGroup metrics =
            InternalSinkWriterMetricGroup.wrap(
                    UnregisteredMetricGroups.createUnregisteredOperatorMetricGroup());
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>((a, b) -> Long.compare(a.atMillis(), b.atMillis()));
    private long nowMillis;

    public TestWriterContext(JobID job, int subtask) {
        this.job = job;
        this.subtask = subtask;
        TaskMailboxImpl taskMailbox = new TaskMailboxImpl(Thread.currentThread());
        this.mailbox = new MailboxExecutorImpl(taskMailbox, 0, StreamTaskActionExecutor.IMMEDIATE);
    }

    /** Runs every mail that has arrived. */
    public void runMails() {
        while (mailbox.tryYield()) {
            // all of them
        }
    }

    /** Moves the clock and fires what is due. */
    public void advanceTo(long millis) throws Exception {
        nowMillis = millis;
        while (!timers.isEmpty() && timers.peek().atMillis() <= millis) {
            Timer due = timers.poll();
            due.callback().onProcessingTime(millis);
        }
    }

    @Override
    public long getCurrentProcessingTime() {
        return nowMillis;
    }

    @Override
    public ScheduledFuture<?> registerTimer(long time, ProcessingTimeCallback target) {
        timers.add(new Timer(time, target));
        return null;
    }

    @Override
    public MailboxExecutor getMailboxExecutor() {
        return mailbox;
    }

    @Override
    public ProcessingTimeService getProcessingTimeService() {
        return this;
    }

    @Override
    public SinkWriterMetricGroup metricGroup() {
        return metrics;
    }

    @Override
    public TaskInfo getTaskInfo() {
        return new Subtask(subtask);
    }

    @Override
    public OptionalLong getRestoredCheckpointId() {
        return OptionalLong.empty();
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
        throw unused();
    }

    @Override
    public SerializationSchema.InitializationContext asSerializationSchemaInitializationContext() {
        throw unused();
    }

    @Override
    public boolean isObjectReuseEnabled() {
        throw unused();
    }

    @Override
    public <T> TypeSerializer<T> createInputSerializer() {
        throw unused();
    }

    @Override
    public JobInfo getJobInfo() {
        return new Job(job);
    }

    private record Job(JobID id) implements JobInfo {

        @Override
        public JobID getJobId() {
            return id;
        }

        @Override
        public String getJobName() {
            return "job";
        }
    }

    private static UnsupportedOperationException unused() {
        return new UnsupportedOperationException("not used by the writer");
    }

    private record Subtask(int index) implements TaskInfo {

        @Override
        public String getTaskName() {
            return "writer";
        }

        @Override
        public int getMaxNumberOfParallelSubtasks() {
            return 128;
        }

        @Override
        public int getIndexOfThisSubtask() {
            return index;
        }

        @Override
        public int getNumberOfParallelSubtasks() {
            return index + 1;
        }

        @Override
        public int getAttemptNumber() {
            return 0;
        }

        @Override
        public String getTaskNameWithSubtasks() {
            return "writer (" + (index + 1) + ")";
        }

        @Override
        public String getAllocationIDAsString() {
            return "none";
        }
    }
}
