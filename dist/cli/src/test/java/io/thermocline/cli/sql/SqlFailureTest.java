package io.thermocline.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SqlFailureTest {

    @Test
    void theInnermostCauseOfTheServersStackTraceIsShown() {
        String text =
                "[Internal server error., <Exception on server side:\n"
                        + "org.apache.flink.table.gateway.api.utils.SqlGatewayException: Failed.\n"
                        + "\tat org.apache.flink.A.b(A.java:1)\n"
                        + "Caused by: org.apache.flink.table.api.ValidationException: SQL validation"
                        + " failed. From line 1\n"
                        + "\tat org.apache.flink.A.c(A.java:2)\n"
                        + "Caused by: org.apache.calcite.SqlValidatorException: Object 'x' not found\n"
                        + "\t... 3 more\n\nEnd of exception on server side>]";
        assertThat(SqlFailure.describe(new RuntimeException("outer", new Exception(text))))
                .isEqualTo("SqlValidatorException: Object 'x' not found");
    }

    @Test
    void aPlainMessageIsShownAsItIs() {
        assertThat(SqlFailure.describe(new IllegalStateException("no such thing")))
                .isEqualTo("no such thing");
    }

    @Test
    void aCauseWithoutMessageShowsItsClass() {
        assertThat(SqlFailure.describe(new RuntimeException(new NullPointerException())))
                .isEqualTo("java.lang.NullPointerException");
    }
}
