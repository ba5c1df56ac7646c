/** Kafka under measurement, through Flink. */
package io.thermocline.benchmarks.kafka;
