/** Source metrics that Flink's reader base does not fill. */
package io.thermocline.source.metrics;
