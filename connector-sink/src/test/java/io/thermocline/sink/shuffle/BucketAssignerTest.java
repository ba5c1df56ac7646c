package io.thermocline.sink.shuffle;

import static io.thermocline.sink.testkit.TestTables.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.HotStoreException;
import io.thermocline.sink.testkit.TestTables;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class BucketAssignerTest {

    private final BucketAssigner assigner =
            new BucketAssigner(TestTables.primaryKeyTable(3), TestTables.modulo(3));

    @Test
    void givesTheFunctionTheBucketKeyOnly() {
        assertThat(assigner.bucket(row(RowKind.INSERT, 7L, "a"))).isEqualTo(1);
        assertThat(assigner.bucket(row(RowKind.DELETE, 8L, null))).isEqualTo(2);
    }

    @Test
    void worksAfterTheJourneyInAJobGraph() throws Exception {
        assigner.bucket(row(RowKind.INSERT, 7L, "a"));
        BucketAssigner copy = InstantiationUtil.clone(assigner);
        assertThat(copy.bucket(row(RowKind.INSERT, 9L, "a"))).isZero();
    }

    @Test
    void refusesNullInThePrimaryKey() {
        assertThatThrownBy(() -> assigner.bucket(row(RowKind.DELETE, null, "a")))
                .isInstanceOf(HotStoreException.class)
                .hasMessageContaining("table db.t: primary-key column 'id' is null");
    }

    @Test
    void refusesABucketThatTheTableDoesNotHave() {
        BucketAssigner wrong =
                new BucketAssigner(TestTables.primaryKeyTable(3), TestTables.modulo(4));
        assertThatThrownBy(() -> wrong.bucket(row(RowKind.INSERT, 3L, "a")))
                .isInstanceOf(HotStoreException.class)
                .hasMessage("INTERNAL: the bucket function of table db.t gave bucket 3 of 3");
    }
}
