package io.thermocline.e2e.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.thermocline.e2e.sql.CaseFile.Step;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.execution.JobClient;

/** Runs the steps of case files, each file in a database of its own. */
final class CaseRunner {

    private final SqlSession session;
    private final ServerProcess server;
    private final Map<String, JobClient> jobs = new HashMap<>();

    CaseRunner(SqlSession session, ServerProcess server) {
        this.session = session;
        this.server = server;
    }

    /**
     * Runs a file.
     *
     * @param database name of a database that does not exist yet; kept when a step fails
     */
    void run(CaseFile file, String database) throws Exception {
        session.execute("CREATE DATABASE " + database);
        session.execute("USE " + database);
        for (Step step : file.steps()) {
            try {
                run(step, database);
            } catch (Exception | AssertionError e) {
                jobs.values().forEach(JobClient::cancel);
                throw new AssertionError(
                        "%s:%d: %s%n%s"
                                .formatted(file.name(), step.line(), step.command(), step.sql()),
                        e);
            }
        }
        assertThat(jobs).as("jobs of %s that run on", file.name()).isEmpty();
        session.execute("USE `default`");
        session.execute("DROP DATABASE " + database + " CASCADE");
    }

    private void run(Step step, String database) throws Exception {
        if (step.is("statement error")) {
            expectError(step, step.argument("statement error"));
        } else if (step.is("streaming error")) {
            expectError(step, step.argument("streaming error"));
        } else if (step.is("statement ok")) {
            if (step.has("streaming")) {
                session.executeStreaming(step.sql());
            } else {
                session.execute(step.sql());
            }
        } else if (step.is("query")) {
            expectRows(step);
        } else if (step.is("plan contains")) {
            assertThat(session.explain(step.sql())).contains(step.argument("plan contains"));
        } else if (step.is("tier")) {
            session.query("CALL sys.tier('%s.%s')".formatted(database, step.argument("tier")));
        } else if (step.is("begin")) {
            jobs.put(step.argument("begin"), session.begin(step.sql()));
        } else if (step.is("finishes")) {
            JobClient job = jobs.remove(step.argument("finishes"));
            assertThat(job.getJobExecutionResult()).succeedsWithin(SqlSession.TIMEOUT);
        } else if (step.is("fails")) {
            String[] words = step.argument("fails").split(" ", 2);
            expectFailure(jobs.remove(words[0]), words[1]);
        } else if (step.command().equals("restart server kill")) {
            server.kill();
        } else if (step.command().equals("restart server stop")) {
            server.stop();
        } else {
            fail("no such command: " + step.command());
        }
    }

    private void expectRows(Step step) throws Exception {
        List<String> sorted = step.expected().stream().sorted().toList();
        if (step.has("streaming")) {
            session.awaitStreaming(step.sql(), sorted);
        } else if (step.has("eventually")) {
            session.awaitRows(step.sql(), sorted);
        } else if (step.has("ordered")) {
            assertThat(session.query(step.sql())).isEqualTo(step.expected());
        } else {
            assertThat(session.query(step.sql()).stream().sorted().toList()).isEqualTo(sorted);
        }
    }

    private void expectError(Step step, String text) throws Exception {
        try {
            if (step.is("streaming error")) {
                session.executeStreaming(step.sql());
            } else {
                session.query(step.sql());
            }
        } catch (Exception | AssertionError e) {
            assertThat(e).hasStackTraceContaining(text);
            return;
        }
        fail("expected an error with: " + text);
    }

    private static void expectFailure(JobClient job, String text) {
        assertThat(job.getJobExecutionResult())
                .failsWithin(SqlSession.TIMEOUT)
                .withThrowableThat()
                .satisfies(e -> assertThat(e).hasStackTraceContaining(text));
    }
}
