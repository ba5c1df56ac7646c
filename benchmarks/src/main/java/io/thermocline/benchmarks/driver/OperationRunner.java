package io.thermocline.benchmarks.driver;

/** Runs the operations that the runner asks for, one at a time. */
public interface OperationRunner extends AutoCloseable {

    /**
     * Runs an operation.
     *
     * @return its figures; {@code rows} and {@code seconds} if it was measured
     */
    Fields run(Fields command) throws Exception;

    @Override
    void close() throws Exception;
}
