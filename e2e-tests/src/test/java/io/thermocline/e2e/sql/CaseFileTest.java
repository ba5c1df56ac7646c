package io.thermocline.e2e.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class CaseFileTest {

    @Test
    void stepsAreSeparatedByBlankLines() {
        CaseFile file =
                CaseFile.parse(
                        "a.sqlt",
                        """
                        # about
                        statement ok
                        CREATE TABLE t (
                          id INT)

                        query streaming ordered
                        SELECT *
                        # why
                        FROM t
                        ----
                        1|a
                        2|NULL

                        tier t
                        """
                                .lines()
                                .toList(),
                        "paimon");
        assertThat(file.steps())
                .containsExactly(
                        new CaseFile.Step(
                                2, "statement ok", "CREATE TABLE t (\n  id INT)", List.of()),
                        new CaseFile.Step(
                                6,
                                "query streaming ordered",
                                "SELECT *\nFROM t",
                                List.of("1|a", "2|NULL")),
                        new CaseFile.Step(14, "tier t", "", List.of()));
        assertThat(file.steps().get(1).has("ordered")).isTrue();
        assertThat(file.steps().get(2).argument("tier")).isEqualTo("t");
    }

    @Test
    void queryWithoutResultIsRefused() {
        assertThatThrownBy(() -> CaseFile.parse("a.sqlt", List.of("query", "SELECT 1"), "paimon"))
                .hasMessage("a.sqlt:1: a query needs '----' and its rows");
    }

    @Test
    void stepsMayBeForOneLake() {
        List<String> lines =
                """
                onlyif paimon
                tier a

                skipif paimon
                tier b

                onlyif iceberg
                skipif paimon
                tier c

                tier d
                """
                        .lines()
                        .toList();
        assertThat(CaseFile.parse("a.sqlt", lines, "paimon").steps())
                .extracting(CaseFile.Step::command)
                .containsExactly("tier a", "tier d");
        assertThat(CaseFile.parse("a.sqlt", lines, "iceberg").steps())
                .extracting(CaseFile.Step::command)
                .containsExactly("tier b", "tier c", "tier d");
    }

    @Test
    void aFileMayEndEarlyForOneLake() {
        List<String> lines = List.of("tier a", "", "onlyif iceberg", "halt", "", "tier b");
        assertThat(CaseFile.parse("a.sqlt", lines, "iceberg").steps())
                .extracting(CaseFile.Step::command)
                .containsExactly("tier a");
        assertThat(CaseFile.parse("a.sqlt", lines, "paimon").steps())
                .extracting(CaseFile.Step::command)
                .containsExactly("tier a", "tier b");
    }
}
