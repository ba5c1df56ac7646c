/** Tables that exist only by a naming rule: {@code t$lake} and the lake's metadata tables. */
package io.thermocline.catalog.virtual;
