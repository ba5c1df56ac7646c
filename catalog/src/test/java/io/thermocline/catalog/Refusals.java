package io.thermocline.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Asserts what a refused statement says, wherever in the chain of causes. */
final class Refusals {

    private Refusals() {}

    static void assertRefused(ThrowingCallable statement, String... messages) {
        assertThatThrownBy(statement)
                .satisfies(
                        failure -> {
                            StringBuilder chain = new StringBuilder();
                            for (Throwable t = failure; t != null; t = t.getCause()) {
                                chain.append(t.getMessage()).append('\n');
                            }
                            assertThat(chain.toString()).contains(messages);
                        });
    }
}
