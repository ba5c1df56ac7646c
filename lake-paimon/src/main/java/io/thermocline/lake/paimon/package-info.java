/**
 * The Paimon binding of the lake SPI. Everything that knows Paimon lives here; its classes reach
 * other modules only as the SPI's own types.
 */
package io.thermocline.lake.paimon;
