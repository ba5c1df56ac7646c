/**
 * The Iceberg binding of the lake SPI. Everything that knows Iceberg lives here; its classes reach
 * other modules only as the SPI's own types.
 */
package io.thermocline.lake.iceberg;
