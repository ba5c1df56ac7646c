/** A Flink session cluster of separate processes on this machine, known by the files it leaves. */
package io.thermocline.cli.cluster;
