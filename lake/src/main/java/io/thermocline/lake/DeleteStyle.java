package io.thermocline.lake;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How tiering says, in a lake that leaves the choice, that rows of a primary-key table are gone:
 * values of the option {@value #OPTION}.
 */
public enum DeleteStyle {
    /** By their keys. */
    EQUALITY,
    /** By the data files that they are in, and their positions there. */
    POSITION;

    /** Name of the table option. */
    public static final String OPTION = "tiering.deletes";

    /**
     * What an option's value says.
     *
     * @param value null if the option is not set; a value that nobody could have set here means the
     *     default as well
     */
    public static DeleteStyle of(@Nullable String value) {
        return value != null && value.toUpperCase(Locale.ROOT).equals(POSITION.name())
                ? POSITION
                : EQUALITY;
    }
}
