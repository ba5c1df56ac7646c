/** Apache Fluss under measurement, through its own client. */
package io.thermocline.benchmarks.fluss;
