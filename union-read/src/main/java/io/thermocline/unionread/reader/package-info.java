/**
 * Readers of both tiers: net changes of a changelog range, lake splits without superseded rows, and
 * the steps of a union read. Runs in any JVM; nothing here needs Flink's runtime. Readers are
 * confined to one thread unless a class says otherwise.
 */
package io.thermocline.unionread.reader;
