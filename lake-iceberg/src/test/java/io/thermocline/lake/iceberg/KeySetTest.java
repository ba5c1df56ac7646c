package io.thermocline.lake.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;

class KeySetTest {

    private static final RowType TYPE = RowType.of(new BigIntType(), VarCharType.STRING_TYPE);

    /** A row with more columns than the key. */
    private static GenericRowData row(long number) {
        return GenericRowData.of(
                number, StringData.fromString("x".repeat((int) (number % 40)) + number), -1L);
    }

    @Test
    void hasTheKeysThatWereAddedAndNoOthers() {
        Random random = new Random(7);
        KeySet keys = new KeySet(TYPE, Integer.MAX_VALUE);
        Set<Long> model = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            long number = random.nextInt(30_000);
            assertThat(keys.add(row(number))).isTrue();
            model.add(number);
        }

        assertThat(keys.size()).isEqualTo(model.size());
        for (long number = 0; number < 30_000; number++) {
            assertThat(keys.contains(row(number))).isEqualTo(model.contains(number));
        }
    }

    @Test
    void takesNoMoreBytesThanItMay() {
        KeySet keys = new KeySet(TYPE, 1_000);
        long added = 0;
        while (keys.add(row(added))) {
            added++;
        }

        assertThat(added).isBetween(10L, 40L);
        assertThat(keys.contains(row(added - 1))).isTrue();
        assertThat(keys.contains(row(added))).isFalse();
    }

    @Test
    void takesOneKeyHoweverLargeItIs() {
        KeySet keys = new KeySet(TYPE, 1);

        assertThat(keys.add(row(5))).isTrue();
        assertThat(keys.add(row(6))).isFalse();
        assertThat(keys.contains(row(5))).isTrue();
        assertThat(keys.contains(row(6))).isFalse();
    }
}
