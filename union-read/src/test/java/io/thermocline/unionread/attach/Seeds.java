package io.thermocline.unionread.attach;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.provider.Arguments;

/** Kinds of tables and seeds of random histories. */
final class Seeds {

    private Seeds() {}

    /**
     * Some histories, and more of them where there is time.
     *
     * @param always each of the form {@code kind, seed}
     * @param full likewise
     */
    static List<Arguments> of(List<String> always, List<String> full) {
        List<String> all = new ArrayList<>(always);
        if (Boolean.getBoolean("thermocline.test.full")) {
            all.addAll(full);
        }
        return all.stream()
                .map(history -> history.split(", "))
                .map(parts -> Arguments.of(parts[0], Long.parseLong(parts[1])))
                .toList();
    }
}
