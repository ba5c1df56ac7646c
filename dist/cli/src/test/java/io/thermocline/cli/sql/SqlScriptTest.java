package io.thermocline.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.cli.CommandFailure;
import io.thermocline.cli.sql.SqlScript.Statement;
import io.thermocline.cli.sql.SqlScript.Wait;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SqlScriptTest {

    @Test
    void semicolonsInQuotesAndCommentsDoNotEndAStatement() {
        String file = "SELECT 'a;b', `c;d` /* e;f */ FROM t -- g;h\nWHERE x = 'it''s;';\nSELECT 2";
        assertThat(SqlScript.parse(file).steps())
                .containsExactly(
                        new Statement(
                                1,
                                "SELECT 'a;b', `c;d` /* e;f */ FROM t \nWHERE x = 'it''s;'",
                                List.of()),
                        new Statement(3, "SELECT 2", List.of()));
    }

    @Test
    void commentsBelongToTheStatementBehindThem() {
        String file = "-- first\n-- and second\n\nSELECT 1;\n-- third\nSELECT 2;\n-- last\n";
        assertThat(SqlScript.parse(file).steps())
                .containsExactly(
                        new Statement(4, "SELECT 1", List.of("first", "and second")),
                        new Statement(6, "SELECT 2", List.of("third")));
    }

    @Test
    void aWaitIsAStepOfItsOwn() {
        String file =
                "SELECT 1;\n--! wait until SELECT COUNT(*) FROM t is 20000 within 60 s\nSELECT 2;";
        assertThat(SqlScript.parse(file).steps())
                .containsExactly(
                        new Statement(1, "SELECT 1", List.of()),
                        new Wait(2, "SELECT COUNT(*) FROM t", "20000", Duration.ofSeconds(60)),
                        new Statement(3, "SELECT 2", List.of()));
    }

    @Test
    void aStatementSetIsOneStatement() {
        String set =
                "EXECUTE STATEMENT SET BEGIN\nINSERT INTO a SELECT 1;\nINSERT INTO b SELECT 2;\nEND";
        assertThat(SqlScript.parse(set + ";\nSELECT 3;").steps())
                .containsExactly(
                        new Statement(1, set, List.of()), new Statement(5, "SELECT 3", List.of()));
    }

    @Test
    void emptyStatementsAndWindowsLineEndsAreAccepted() {
        assertThat(SqlScript.parse(";;\r\nSELECT 1;\r\n;").steps())
                .containsExactly(new Statement(2, "SELECT 1", List.of()));
    }

    @Test
    void anOpenQuoteIsRefusedWithItsLine() {
        assertThatThrownBy(() -> SqlScript.parse("SELECT 1;\nSELECT 'abc;\n"))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("The quote ' that opens in line 2 is never closed.");
    }

    @Test
    void aWaitThatCannotBeReadIsRefused() {
        assertThatThrownBy(() -> SqlScript.parse("--! wait for it\n"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("Line 1: cannot read '--! wait for it'")
                .hasMessageContaining("wait until SELECT … is VALUE within N s");
    }
}
