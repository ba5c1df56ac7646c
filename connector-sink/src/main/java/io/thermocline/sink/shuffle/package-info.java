/** Routing of rows to buckets, and of buckets to writers. */
package io.thermocline.sink.shuffle;
