/** Iceberg tables, written by Flink directly or by tiering: how fresh and how healthy they are. */
package io.thermocline.benchmarks.iceberg;
