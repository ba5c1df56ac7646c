/**
 * The source's coordinator: plans the read, hands out splits, keeps the lease. Confined to the
 * coordinator thread.
 */
package io.thermocline.source.enumerator;
