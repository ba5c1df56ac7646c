/**
 * The local engine: the server process that holds a warehouse's hot store and tiers it, and how
 * tasks reach it. Starting processes and finding running ones is in the sub-package {@code launch}.
 */
package io.thermocline.hotserver;
