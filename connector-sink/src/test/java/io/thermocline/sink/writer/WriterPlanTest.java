package io.thermocline.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.sink.shuffle.BucketAssigner;
import io.thermocline.sink.testkit.TestTables;
import java.time.Duration;
import java.util.UUID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class WriterPlanTest {

    private static final JobID JOB = new JobID();

    private static WriterPlan plan(HotTableSpec spec, BucketAssigner assigner) {
        return new WriterPlan(
                spec,
                start -> {
                    throw new UnsupportedOperationException("nothing is written here");
                },
                assigner,
                new WriterSettings(1, 1, Duration.ZERO, 1),
                UUID.randomUUID());
    }

    private static WriterPlan byBucket() {
        HotTableSpec spec = TestTables.primaryKeyTable(4);
        return plan(spec, new BucketAssigner(spec, TestTables.modulo(4)));
    }

    @Test
    void attemptsOfAJobShareTheirWriters() throws Exception {
        WriterPlan plan = byBucket();
        WriterPlan shipped = InstantiationUtil.clone(plan);
        assertThat(shipped.writerId(JOB, 1)).isEqualTo(plan.writerId(JOB, 1));
    }

    @Test
    void bucketsKeepTheirWriterWhenTheyGoToAnotherSubtask() {
        WriterPlan plan = byBucket();
        assertThat(plan.writerId(JOB, 0)).isEqualTo(plan.writerId(JOB, 3));
    }

    @Test
    void subtasksThatShareABucketAreDifferentWriters() {
        WriterPlan plan = plan(TestTables.logTable(1), null);
        assertThat(plan.writerId(JOB, 0)).isNotEqualTo(plan.writerId(JOB, 1));
    }

    @Test
    void sinksAndJobsAreDifferentWriters() {
        WriterPlan plan = byBucket();
        assertThat(plan.writerId(JOB, 0)).isNotEqualTo(byBucket().writerId(JOB, 0));
        assertThat(plan.writerId(JOB, 0)).isNotEqualTo(plan.writerId(new JobID(), 0));
    }
}
