/** Splits of the source, their state in a reader, and their serialized form. */
package io.thermocline.source.split;
