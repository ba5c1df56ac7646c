/** Rows in Arrow vectors: building them from Flink rows, and reading them as Flink rows. */
package io.thermocline.hotstore.arrow;
