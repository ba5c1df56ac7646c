package io.thermocline.cli.sql;

import io.thermocline.cli.CommandFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The steps of a SQL file: statements, the comments in front of them, and waits.
 *
 * <p>A wait is a comment, so that the file stays plain SQL for any other client:
 *
 * <pre>{@code --! wait until SELECT COUNT(*) FROM t is 20000 within 60 s}</pre>
 */
record SqlScript(List<Step> steps) {

    private static final String WAIT_PREFIX = "--!";
    private static final Pattern WAIT =
            Pattern.compile(
                    "wait\\s+until\\s+(.+?)\\s+is\\s+(\\S+)\\s+within\\s+(\\d+)\\s*s",
                    Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern STATEMENT_SET =
            Pattern.compile(
                    "(?is)^(EXECUTE|EXPLAIN\\b.*?)\\s+STATEMENT\\s+SET\\s+(AS\\s+)?BEGIN\\b.*");
    private static final Pattern END = Pattern.compile("(?is)^\\s*END\\s*$");

    /** One thing to do; {@code line} is the first line of it in the file, from 1. */
    sealed interface Step permits Statement, Wait {
        int line();
    }

    /**
     * A statement.
     *
     * @param sql text without the final semicolon
     * @param comments the comment lines directly in front of it, without their dashes
     */
    record Statement(int line, String sql, List<String> comments) implements Step {}

    /** Repeat the query until its only value prints as {@code expected}. */
    record Wait(int line, String query, String expected, Duration limit) implements Step {}

    /**
     * Splits a file.
     *
     * @throws CommandFailure when a quote or comment is not closed, or a wait is not understood
     */
    static SqlScript parse(String content) {
        return new SqlScript(new Splitter(content).split());
    }

    private static final class Splitter {

        private final String content;
        private final List<Step> steps = new ArrayList<>();
        private final List<String> comments = new ArrayList<>();
        private final StringBuilder statement = new StringBuilder();
        private int statementLine;
        private int line = 1;
        private int at;

        Splitter(String content) {
            this.content = content;
        }

        List<Step> split() {
            while (at < content.length()) {
                char c = content.charAt(at);
                if (content.startsWith("--", at)) {
                    lineComment();
                } else if (content.startsWith("/*", at)) {
                    take(endOf("*/", at + 2, "comment"));
                } else if (c == '\'' || c == '`' || c == '"') {
                    take(endOf(String.valueOf(c), at + 1, "quote " + c));
                } else if (c == ';') {
                    at++;
                    finishStatement();
                } else {
                    take(at + 1);
                }
            }
            finishStatement();
            return steps;
        }

        private int endOf(String closing, int from, String what) {
            int end = content.indexOf(closing, from);
            if (end < 0) {
                throw new CommandFailure(
                        "The " + what + " that opens in line " + line + " is never closed.");
            }
            return end + closing.length();
        }

        private void take(int end) {
            for (; at < end; at++) {
                char c = content.charAt(at);
                boolean blank = Character.isWhitespace(c);
                if (statement.length() > 0 || !blank) {
                    if (statement.length() == 0) {
                        statementLine = line;
                    }
                    statement.append(c);
                }
                if (c == '\n') {
                    line++;
                }
            }
        }

        private void lineComment() {
            int end = content.indexOf('\n', at);
            end = end < 0 ? content.length() : end;
            String text = content.substring(at, end).strip();
            if (statement.length() > 0) {
                at = end;
                return;
            }
            if (text.startsWith(WAIT_PREFIX)) {
                waitDirective(text);
            } else {
                comments.add(text.substring(2).strip());
            }
            at = Math.min(end + 1, content.length());
            line++;
        }

        private void waitDirective(String text) {
            Matcher m = WAIT.matcher(text.substring(WAIT_PREFIX.length()).strip());
            if (!m.matches()) {
                throw new CommandFailure(
                        "Line "
                                + line
                                + ": cannot read '"
                                + text
                                + "'; expected '--! wait until SELECT … is VALUE within N s'.");
            }
            Duration limit = Duration.ofSeconds(Long.parseLong(m.group(3)));
            steps.add(new Wait(line, m.group(1).strip(), m.group(2), limit));
        }

        private void finishStatement() {
            String sql = statement.toString().strip();
            if (STATEMENT_SET.matcher(sql).matches() && !endsWithEnd(sql)) {
                statement.append(";");
                return;
            }
            if (!sql.isEmpty()) {
                steps.add(new Statement(statementLine, sql, List.copyOf(comments)));
                comments.clear();
            }
            statement.setLength(0);
        }

        private static boolean endsWithEnd(String sql) {
            return END.matcher(sql.substring(sql.lastIndexOf(';') + 1)).matches();
        }
    }

    /** Whether a statement ends the session, as in Flink's SQL client. */
    static boolean isQuit(String sql) {
        String word = sql.toUpperCase(Locale.ROOT);
        return word.equals("QUIT") || word.equals("EXIT");
    }
}
