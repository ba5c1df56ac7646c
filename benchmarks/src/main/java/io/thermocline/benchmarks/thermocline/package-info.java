/**
 * Thermocline under measurement: its client with a server process, and its hot store in process.
 */
package io.thermocline.benchmarks.thermocline;
