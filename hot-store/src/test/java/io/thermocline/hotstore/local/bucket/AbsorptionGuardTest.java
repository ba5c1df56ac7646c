package io.thermocline.hotstore.local.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.local.keyindex.StoredRow;
import java.nio.ByteBuffer;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.junit.jupiter.api.Test;

class AbsorptionGuardTest {

    private static final RowDataSerializer ROWS = new RowDataSerializer(new BigIntType());

    private final AbsorptionGuard guard = new AbsorptionGuard(100);

    private static KeyBytes key(int number) {
        return new KeyBytes(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
    }

    private static byte[] changedAt(long offset) {
        return StoredRow.encode(0, offset, ROWS.toBinaryRow(GenericRowData.of(1L)));
    }

    @Test
    void changesFromTheTieredOffsetOnAreKeptUnlessTheyCameFromTheLake() {
        guard.addMarked(110, 120);
        guard.addMarked(130, 131);
        assertThat(guard.keeps(key(1), changedAt(99))).isFalse();
        assertThat(guard.keeps(key(1), changedAt(100))).isTrue();
        assertThat(guard.keeps(key(1), changedAt(109))).isTrue();
        assertThat(guard.keeps(key(1), changedAt(110))).isFalse();
        assertThat(guard.keeps(key(1), changedAt(119))).isFalse();
        assertThat(guard.keeps(key(1), changedAt(120))).isTrue();
        assertThat(guard.keeps(key(1), changedAt(130))).isFalse();
        assertThat(guard.keeps(key(1), changedAt(131))).isTrue();
    }

    @Test
    void aMissingKeyIsKeptIfItWasDeletedMeanwhile() {
        guard.addDeleted(key(1));
        assertThat(guard.keeps(key(1), null)).isTrue();
        assertThat(guard.keeps(key(2), null)).isFalse();
        // it is back, from the lake
        guard.addMarked(110, 111);
        assertThat(guard.keeps(key(1), changedAt(110))).isFalse();
    }

    @Test
    void itGivesUpWhenItCannotRememberAllDeletions() {
        for (int i = 0; i < AbsorptionGuard.MAX_DELETED_KEYS; i++) {
            guard.addDeleted(key(i));
        }
        guard.check();
        assertThat(guard.isBroken()).isFalse();
        guard.addDeleted(key(-1));
        assertThat(guard.isBroken()).isTrue();
        assertThatThrownBy(guard::check)
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_FAILED))
                .hasMessageContaining("writers deleted more than 262144 keys meanwhile");
    }

    @Test
    void itGivesUpWhenBatchesAreLost() {
        guard.revoked();
        assertThatThrownBy(guard::check)
                .hasMessageContaining(
                        "batches of writers were lost meanwhile. The next tiering round");
    }
}
