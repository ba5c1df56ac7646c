package io.thermocline.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * How a command ended.
 *
 * @param exitCode of the process
 * @param output standard output and standard error, as they came
 */
record CommandResult(int exitCode, String output) {

    /** Fails the test unless the command succeeded. */
    CommandResult succeeded() {
        assertThat(exitCode).as("exit code; output:%n%s", output).isZero();
        return this;
    }

    /** Fails the test unless the command failed, as a command and not by wrong usage. */
    CommandResult failed() {
        assertThat(exitCode).as("exit code; output:%n%s", output).isEqualTo(1);
        return this;
    }

    /** Rows of all printed tables in order, without the rows of column names. */
    List<List<String>> rows() {
        List<List<String>> rows = new ArrayList<>();
        boolean inTable = false;
        int borders = 0;
        for (String line : output.lines().toList()) {
            if (line.startsWith("+-")) {
                borders = inTable ? borders + 1 : 1;
                inTable = borders < 3;
            } else if (inTable && borders == 2 && line.startsWith("|")) {
                String[] cells = line.substring(1, line.lastIndexOf('|')).split("\\|", -1);
                rows.add(Stream.of(cells).map(String::strip).toList());
            }
        }
        return rows;
    }
}
