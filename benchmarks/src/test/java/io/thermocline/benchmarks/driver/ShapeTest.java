package io.thermocline.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ShapeTest {

    @Test
    void rowsAreTheSameForTheSameKeyAndVersion() {
        BenchRow row = new BenchRow(Shape.NARROW);
        Shape.NARROW.fill(row, 42, 1);
        String first = text(row);
        Shape.NARROW.fill(row, 43, 1);
        String other = text(row);
        Shape.NARROW.fill(row, 42, 1);

        assertThat(text(row)).isEqualTo(first).isNotEqualTo(other).startsWith("42 ");
    }

    private static String text(BenchRow row) {
        return row.integer(Shape.KEY)
                + " "
                + row.integer(Shape.NUMBER)
                + " "
                + row.real(7)
                + " "
                + new String(row.text(8), StandardCharsets.US_ASCII);
    }

    @Test
    void valuesHaveThePublishedSizes() {
        assertThat(Shape.NARROW.rawBytes()).isEqualTo(84);
        assertThat(Shape.WIDE.rawBytes()).isEqualTo(484);
    }

    @Test
    void zipfianKeysStayInRangeAndPreferFew() {
        ZipfianKeys keys = new ZipfianKeys(1_000);
        SplittableRandom random = new SplittableRandom(7);
        Map<Long, Integer> drawn = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            drawn.merge(keys.next(random), 1, Integer::sum);
        }

        assertThat(drawn.keySet()).allMatch(key -> key >= 0 && key < 1_000);
        // The most frequent of 1,000 has 1/H(1000, 0.99) = 13 % of all draws.
        assertThat(drawn.values().stream().mapToInt(Integer::intValue).max().orElse(0))
                .isBetween(11_000, 16_000);
    }
}
