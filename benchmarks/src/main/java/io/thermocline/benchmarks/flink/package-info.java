/**
 * Flink jobs under measurement, on a local Flink in the driver's process. Systems differ in their
 * statements only, so that peers are driven by the same code on their own class paths.
 */
package io.thermocline.benchmarks.flink;
