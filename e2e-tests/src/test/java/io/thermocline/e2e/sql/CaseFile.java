package io.thermocline.e2e.sql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A SQL case: steps separated by blank lines; {@code #} begins a comment line. Steps:
 *
 * <pre>
 * statement ok [streaming]       query [streaming] [ordered]     tier TABLE
 * SQL                            SQL
 *                                ----                            restart server kill|stop
 * statement error TEXT           field|field
 * SQL                                                            plan contains TEXT
 *                                query eventually                SQL
 * begin JOB                      SQL
 * INSERT ...                     ----                            fails JOB TEXT
 *                                field|field                     finishes JOB
 * streaming error TEXT
 * SQL                                                            halt
 * </pre>
 *
 * A file is for every lake. Lines {@code onlyif LAKE} and {@code skipif LAKE} before a step make it
 * one for some of them; {@code halt} ends the file, so that {@code onlyif LAKE} and {@code halt}
 * leave the rest out.
 */
record CaseFile(String name, List<Step> steps) {

    private static final String RESULT = "----";
    private static final String ONLY_IF = "onlyif ";
    private static final String SKIP_IF = "skipif ";
    private static final String HALT = "halt";

    /**
     * @param line number of its first line in the file, from 1
     * @param command the first line
     * @param sql lines up to the result; empty if the command needs none
     * @param expected result rows
     */
    record Step(int line, String command, String sql, List<String> expected) {

        /** What follows {@code prefix} in the command, if the command begins with it. */
        String argument(String prefix) {
            return command.substring(prefix.length()).trim();
        }

        boolean is(String prefix) {
            return command.equals(prefix) || command.startsWith(prefix + " ");
        }

        boolean has(String word) {
            return List.of(command.split(" ")).contains(word);
        }
    }

    static CaseFile read(Path root, Path file, String lake) throws IOException {
        return parse(root.relativize(file).toString(), Files.readAllLines(file), lake);
    }

    /** Parses the steps that are for a lake. */
    static CaseFile parse(String name, List<String> lines, String lake) {
        List<Step> steps = new ArrayList<>();
        int position = 0;
        while (position < lines.size()) {
            if (isSkipped(lines.get(position))) {
                position++;
                continue;
            }
            int end = position;
            while (end < lines.size() && !lines.get(end).isBlank()) {
                end++;
            }
            int first = position;
            boolean applies = true;
            while (isCondition(lines.get(first))) {
                applies &= holds(lines.get(first), lake);
                first++;
            }
            if (applies) {
                Step step = step(name, first + 1, lines.subList(first, end));
                if (step.command().equals(HALT)) {
                    break;
                }
                steps.add(step);
            }
            position = end;
        }
        return new CaseFile(name, List.copyOf(steps));
    }

    private static boolean isCondition(String line) {
        return line.startsWith(ONLY_IF) || line.startsWith(SKIP_IF);
    }

    private static boolean holds(String condition, String lake) {
        return condition.startsWith(ONLY_IF)
                ? condition.substring(ONLY_IF.length()).trim().equals(lake)
                : !condition.substring(SKIP_IF.length()).trim().equals(lake);
    }

    private static Step step(String name, int line, List<String> lines) {
        List<String> sql = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        boolean inResult = false;
        for (String text : lines.subList(1, lines.size())) {
            if (text.equals(RESULT)) {
                inResult = true;
            } else if (inResult) {
                expected.add(text);
            } else if (!text.startsWith("#")) {
                sql.add(text);
            }
        }
        Step step = new Step(line, lines.get(0).trim(), String.join("\n", sql), expected);
        boolean isQuery = step.is("query");
        if (isQuery != inResult) {
            throw new IllegalArgumentException(
                    "%s:%d: %s"
                            .formatted(
                                    name,
                                    line,
                                    isQuery
                                            ? "a query needs '----' and its rows"
                                            : "only a query has '----'"));
        }
        return step;
    }

    private static boolean isSkipped(String line) {
        return line.isBlank() || line.startsWith("#");
    }
}
