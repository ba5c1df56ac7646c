package io.thermocline.catalog.option;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.table.catalog.ObjectPath;

/** Database and table in one text, as options and procedures take them. */
public final class QualifiedName {

    /** What such a text looks like, to end a message with. */
    public static final String FORM =
            "it must be 'database.table', with backticks around a name that has a dot:"
                    + " '`my.db`.`my.table`'";

    /** A name without dots and backticks, or one in backticks, where two of them mean one. */
    private static final Pattern PART = Pattern.compile("([^.`]+)|`((?:[^`]|``)+)`");

    private QualifiedName() {}

    /** Parses such a text; empty if it is none, or if it could mean several tables. */
    public static Optional<ObjectPath> parse(String text) {
        List<String> parts = new ArrayList<>();
        Matcher matcher = PART.matcher(text);
        int position = 0;
        while (matcher.find(position) && matcher.start() == position) {
            parts.add(
                    matcher.group(1) != null
                            ? matcher.group(1)
                            : matcher.group(2).replace("``", "`"));
            position = matcher.end();
            if (position == text.length()) {
                return parts.size() == 2
                        ? Optional.of(new ObjectPath(parts.get(0), parts.get(1)))
                        : Optional.empty();
            }
            if (text.charAt(position) != '.') {
                return Optional.empty();
            }
            position++;
        }
        return Optional.empty();
    }
}
