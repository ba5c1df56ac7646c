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
 *                                streaming error TEXT            SQL
 * begin JOB                      SQL
 * INSERT ...                                                     fails JOB TEXT
 *                                                                finishes JOB
 * </pre>
 */
record CaseFile(String name, List<Step> steps) {

    private static final String RESULT = "----";

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

    static CaseFile read(Path root, Path file) throws IOException {
        return parse(root.relativize(file).toString(), Files.readAllLines(file));
    }

    static CaseFile parse(String name, List<String> lines) {
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
            steps.add(step(name, position + 1, lines.subList(position, end)));
            position = end;
        }
        return new CaseFile(name, List.copyOf(steps));
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
