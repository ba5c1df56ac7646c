/**
 * The table sink: what the planner asks, and the Sink V2 that it gets. The sink keeps no state of
 * its own; every checkpoint waits until all rows are acknowledged by the hot store.
 */
package io.thermocline.sink;
