/**
 * The bucket: a state machine that turns input batches into frame groups, one batch at a time and
 * in order, and makes them visible once they are durable. Merging sees what is applied but not yet
 * visible through an overlay; readers and lookups never do.
 */
package io.thermocline.hotstore.local.bucket;
