/** Charts of figures, as SVG. */
package io.thermocline.benchmarks.chart;
