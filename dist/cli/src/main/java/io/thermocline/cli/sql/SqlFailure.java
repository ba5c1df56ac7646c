package io.thermocline.cli.sql;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Says in one or two lines what a failed statement's exception means. */
final class SqlFailure {

    /** The gateway sends the server's stack trace as text. */
    private static final Pattern CAUSE =
            Pattern.compile(
                    "(?m)^(?:Caused by: |<Exception on server side:\\R)?"
                            + "((?:[a-z][\\w$]*\\.)+[A-Z][\\w$]*(?:Exception|Error))(?:: (.*(?:\\R(?!\\tat |Caused by|\\t\\.\\.\\.|End of).*)*))?$");

    private SqlFailure() {}

    /**
     * Message of the innermost cause, with its class name when the message alone says too little.
     */
    static String describe(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String text = String.valueOf(root.getMessage());
        return innermost(text).orElse(root.getMessage() == null ? root.toString() : text);
    }

    private static Optional<String> innermost(String text) {
        Matcher m = CAUSE.matcher(text);
        Optional<String> found = Optional.empty();
        while (m.find()) {
            String message = m.group(2);
            String name = m.group(1).substring(m.group(1).lastIndexOf('.') + 1);
            if (message != null && !message.isBlank()) {
                found = Optional.of(name + ": " + message.strip());
            } else if (found.isEmpty()) {
                found = Optional.of(name);
            }
        }
        return found;
    }
}
