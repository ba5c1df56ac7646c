package io.thermocline.benchmarks.driver;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Main loop of a process that the runner drives: takes one operation a line on standard input and
 * answers {@code BEGIN} when the measured part starts and {@code END} with the figures, or {@code
 * ERROR}. What anything else prints goes to standard error.
 */
public final class Driver {

    private final PrintStream answers;

    private Driver(PrintStream answers) {
        this.answers = answers;
    }

    /** Makes the target; libraries that it loads may print what they like. */
    public interface TargetFactory {
        Target create() throws Exception;
    }

    /** Makes what runs the operations. */
    public interface RunnerFactory {
        /**
         * @param begin is to be run when the measured part of an operation starts
         */
        OperationRunner create(Runnable begin) throws Exception;
    }

    /** Runs until standard input ends, then ends the process. */
    public static void run(TargetFactory factory) {
        serve(begin -> new Operations(factory.create(), begin));
    }

    /** Runs until standard input ends, then ends the process. */
    public static void serve(RunnerFactory factory) {
        Driver driver =
                new Driver(
                        new PrintStream(
                                new FileOutputStream(FileDescriptor.out),
                                true,
                                StandardCharsets.UTF_8));
        System.setOut(System.err);
        int exit = 0;
        try (OperationRunner operations = factory.create(() -> driver.send(new Fields("BEGIN")))) {
            driver.send(new Fields("READY"));
            driver.serve(operations);
        } catch (Exception e) {
            e.printStackTrace();
            driver.send(failure(e));
            exit = 1;
        }
        // client libraries leave threads behind
        System.exit(exit);
    }

    private void serve(OperationRunner operations) throws IOException {
        BufferedReader commands =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = commands.readLine();
        while (line != null) {
            Fields answer;
            try {
                answer = operations.run(Fields.parse(line));
            } catch (Exception e) {
                e.printStackTrace();
                answer = failure(e);
            }
            send(answer);
            line = commands.readLine();
        }
    }

    private static Fields failure(Exception e) {
        return new Fields("ERROR").with("message", e);
    }

    private void send(Fields message) {
        answers.println(message.line());
    }
}
