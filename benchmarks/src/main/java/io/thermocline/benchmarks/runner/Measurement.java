package io.thermocline.benchmarks.runner;

import java.util.Map;

/**
 * One repetition of one row by one system.
 *
 * @param row name of the row
 * @param system name of the system
 * @param repetition from 0
 * @param rows how many rows or calls were measured
 * @param seconds how long they took
 * @param figures what else the operation reported, such as percentiles
 * @param cpuSeconds by role, until the system was quiet again
 * @param residentBytes by role, at the end
 * @param diskBytes of all the system's data, once it was quiet
 * @param otherCores cores that other processes kept busy meanwhile
 */
record Measurement(
        String row,
        String system,
        int repetition,
        long rows,
        double seconds,
        Map<String, String> figures,
        Map<String, Double> cpuSeconds,
        Map<String, Long> residentBytes,
        long diskBytes,
        double otherCores) {}
