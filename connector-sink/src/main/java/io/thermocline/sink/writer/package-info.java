/**
 * Writing rows to the hot store: one buffer per bucket, filled by the task thread only. Completed
 * requests come back to the task thread through the mailbox, so nothing here is locked.
 */
package io.thermocline.sink.writer;
