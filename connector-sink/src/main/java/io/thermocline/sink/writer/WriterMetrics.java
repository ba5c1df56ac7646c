package io.thermocline.sink.writer;

import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;

/** The sink writer's standard metrics. Touched by the task thread only. */
final class WriterMetrics {

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Counter recordsSent;
    private final Counter bytesSent;
    private final Counter recordErrors;
    private volatile long lastSendMillis;

    WriterMetrics(SinkWriterMetricGroup group) {
        this.recordsSent = group.getNumRecordsSendCounter();
        this.bytesSent = group.getNumBytesSendCounter();
        this.recordErrors = group.getNumRecordsSendErrorsCounter();
        group.setCurrentSendTimeGauge(() -> lastSendMillis);
    }

    void sent(int rows, long bytes) {
        recordsSent.inc(rows);
        bytesSent.inc(bytes);
    }

    void acknowledged(long sendNanos) {
        lastSendMillis = sendNanos / NANOS_PER_MILLI;
    }

    void failed(int rows) {
        recordErrors.inc(rows);
    }
}
