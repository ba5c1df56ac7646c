/**
 * Tables that exist only by a naming rule: {@code t$lake}, the lake's metadata tables and those of
 * the hot tier.
 */
package io.thermocline.catalog.virtual;
