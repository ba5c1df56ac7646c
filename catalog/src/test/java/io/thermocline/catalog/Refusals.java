package io.thermocline.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Asserts what a refused statement says in its innermost cause, which SQL clients show alone. */
final class Refusals {

    private Refusals() {}

    static void assertRefused(ThrowingCallable statement, String... messages) {
        assertThatThrownBy(statement)
                .satisfies(
                        failure -> {
                            Throwable root = failure;
                            while (root.getCause() != null
                                    && root.getCause().getMessage() != null) {
                                root = root.getCause();
                            }
                            assertThat(root.getMessage()).contains(messages);
                        });
    }
}
