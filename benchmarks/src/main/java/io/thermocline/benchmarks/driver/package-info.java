/**
 * What every system under measurement shares: the rows, the operations, and the protocol by which
 * the runner drives a process. Has no dependencies, so that peers are driven by the same code on
 * their own class paths.
 */
package io.thermocline.benchmarks.driver;
