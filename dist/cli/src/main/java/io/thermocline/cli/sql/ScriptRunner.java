package io.thermocline.cli.sql;

import io.thermocline.cli.CommandFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ResultKind;
import org.apache.flink.table.api.config.TableConfigOptions;
import org.apache.flink.table.client.cli.Printer;
import org.apache.flink.table.client.cli.TerminalUtils;
import org.apache.flink.table.client.gateway.Executor;
import org.apache.flink.table.client.gateway.StatementResult;
import org.apache.flink.table.data.RowData;
import org.jline.terminal.Terminal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a SQL file in a session, prints what each statement gives, and stops at the first failure.
 */
public final class ScriptRunner {

    private static final Logger LOG = LoggerFactory.getLogger(ScriptRunner.class);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

    private final Executor executor;
    private final PrintStream out;
    private final boolean explained;

    /**
     * A runner that prints to {@code out}.
     *
     * @param explained whether the comments of the file are printed, as the explanation of each
     *     step
     */
    public ScriptRunner(SqlSession session, PrintStream out, boolean explained) {
        this.executor = session.executor();
        this.out = out;
        this.explained = explained;
    }

    /**
     * Runs all statements of {@code content}.
     *
     * @param name name of the file, for messages
     * @throws CommandFailure at the first statement that fails or wait that runs out of time
     */
    public void run(String name, String content) {
        for (SqlScript.Step step : SqlScript.parse(content).steps()) {
            if (step instanceof SqlScript.Wait wait) {
                await(name, wait);
            } else if (step instanceof SqlScript.Statement statement) {
                if (SqlScript.isQuit(statement.sql())) {
                    return;
                }
                execute(name, statement);
            }
        }
    }

    private void execute(String name, SqlScript.Statement statement) {
        if (explained) {
            statement.comments().forEach(comment -> out.println("-- " + comment));
        }
        out.println("Flink SQL> " + statement.sql() + ";");
        out.flush();
        long start = System.nanoTime();
        try (StatementResult result = executor.executeStatement(statement.sql())) {
            print(result, start);
        } catch (RuntimeException e) {
            throw failure(name, statement.line(), e);
        }
        out.println();
        out.flush();
    }

    private void print(StatementResult result, long start) {
        ReadableConfig config = executor.getSessionConfig();
        JobID job = result.getJobId();
        if (!result.isQueryResult() && job != null) {
            boolean finished = config.get(TableConfigOptions.TABLE_DML_SYNC);
            drain(result);
            String state = finished ? "Finished" : "Running in the background";
            out.println(state + " (" + seconds(start) + " s, job " + job + ")");
        } else if (!result.isQueryResult() && result.getResultKind() == ResultKind.SUCCESS) {
            drain(result);
            out.println("OK (" + seconds(start) + " s)");
        } else {
            printTable(result, config);
        }
    }

    /** Errors of a statement may only show when its result is read. */
    private static void drain(StatementResult result) {
        while (result.hasNext()) {
            result.next();
        }
    }

    private void printTable(StatementResult result, ReadableConfig config) {
        try (Terminal terminal = TerminalUtils.createDumbTerminal(unclosed(out))) {
            Printer.createStatementCommandPrinter(result, config, System.currentTimeMillis())
                    .print(terminal);
            terminal.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot print a result", e);
        }
    }

    private static OutputStream unclosed(PrintStream out) {
        return new OutputStream() {
            @Override
            public void write(int b) {
                out.write(b);
            }

            @Override
            public void write(byte[] bytes, int from, int length) {
                out.write(bytes, from, length);
            }

            @Override
            public void flush() {
                out.flush();
            }
        };
    }

    private void await(String name, SqlScript.Wait wait) {
        long start = System.nanoTime();
        out.println("... waiting until " + wait.query() + " is " + wait.expected());
        out.flush();
        String value = "";
        do {
            value = singleValue(name, wait);
            if (value.equals(wait.expected())) {
                out.println("... it is (" + seconds(start) + " s)");
                out.println();
                return;
            }
            pause();
        } while (System.nanoTime() - start < wait.limit().toNanos());
        throw new CommandFailure(
                name
                        + ", line "
                        + wait.line()
                        + ": after "
                        + wait.limit().toSeconds()
                        + " s "
                        + wait.query()
                        + " is "
                        + value
                        + " and not "
                        + wait.expected()
                        + ".");
    }

    private String singleValue(String name, SqlScript.Wait wait) {
        try (StatementResult result = executor.executeStatement(wait.query())) {
            String value = "";
            while (result.hasNext()) {
                RowData row = result.next();
                value = result.getRowDataToStringConverter().convert(row)[0].strip();
            }
            LOG.info("Line {}: {} is {}", wait.line(), wait.query(), value);
            return value;
        } catch (RuntimeException e) {
            throw failure(name, wait.line(), e);
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL_INTERVAL.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("Interrupted while waiting.", e);
        }
    }

    private static CommandFailure failure(String name, int line, RuntimeException e) {
        return new CommandFailure(name + ", line " + line + ": " + SqlFailure.describe(e), e);
    }

    private static String seconds(long startNanos) {
        return String.format(Locale.ROOT, "%.1f", (System.nanoTime() - startNanos) / 1e9);
    }

    /** The standard output, in UTF-8 whatever the locale says. */
    public static PrintStream standardOutput() {
        return new PrintStream(System.out, true, StandardCharsets.UTF_8);
    }
}
