/**
 * The journal: one sequence of files per store that holds the frame groups of all buckets of all
 * tables in commit order. It is the active part of every changelog. One thread writes it; a round
 * of entries is made durable with one force. This package knows nothing of what an entry means.
 */
package io.thermocline.hotstore.local.journal;
