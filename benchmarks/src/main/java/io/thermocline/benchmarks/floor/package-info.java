/** The machine's floors: what the libraries below a hot store reach when nothing else is done. */
package io.thermocline.benchmarks.floor;
