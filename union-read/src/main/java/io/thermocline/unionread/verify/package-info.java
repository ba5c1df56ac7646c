/**
 * Proof that changelog, key index and lake of a table say the same. Reads everything, changes
 * nothing, and goes on beside writers. Confined to the calling thread.
 */
package io.thermocline.unionread.verify;
