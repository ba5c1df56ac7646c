package io.thermocline.catalog.option;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that somebody who misspelt an option probably meant. */
final class OptionNames {

    /** Shorter beginnings are shared by too many names. */
    private static final int MIN_PREFIX = 5;

    private OptionNames() {}

    /** The closest known name by edit distance; empty if none is close. */
    static Optional<String> nearest(String unknown, Collection<String> known) {
        int limit = Math.max(2, unknown.length() / 3);
        return known.stream()
                .filter(name -> difference(unknown, name) <= limit)
                .min(
                        Comparator.comparingInt((String name) -> difference(unknown, name))
                                .thenComparing(Comparator.naturalOrder()));
    }

    // A name that was cut short is as close as one with a single wrong letter.
    private static int difference(String unknown, String name) {
        boolean cutShort = unknown.length() >= MIN_PREFIX && name.startsWith(unknown);
        return cutShort ? 1 : distance(unknown, name);
    }

    /** Text that ends an error message about an unknown option. */
    static String hint(String unknown, Collection<String> known) {
        return nearest(unknown, known)
                .map(name -> "Did you mean '" + name + "'?")
                .orElseGet(
                        () ->
                                "Options are: "
                                        + String.join(", ", known.stream().sorted().toList()));
    }

    /** Levenshtein distance, ignoring case. */
    static int distance(String left, String right) {
        int[] previous = new int[right.length() + 1];
        for (int j = 0; j <= right.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int[] current = new int[right.length() + 1];
            current[0] = i;
            char l = Character.toLowerCase(left.charAt(i - 1));
            for (int j = 1; j <= right.length(); j++) {
                int substitution = l == Character.toLowerCase(right.charAt(j - 1)) ? 0 : 1;
                current[j] =
                        Math.min(
                                Math.min(current[j - 1], previous[j]) + 1,
                                previous[j - 1] + substitution);
            }
            previous = current;
        }
        return previous[right.length()];
    }
}
