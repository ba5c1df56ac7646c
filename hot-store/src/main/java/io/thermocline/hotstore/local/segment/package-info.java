/**
 * The changelog of a bucket: frame groups in segments, older ones in large batches, and in the
 * journal, newer ones as they were written. A group is found by offset through an index in memory.
 * Readers hold claims on files, so that rewriting and deleting them never disturbs a read.
 */
package io.thermocline.hotstore.local.segment;
