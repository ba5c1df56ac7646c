package io.thermocline.hotstore.local.journal;

/**
 * Where an entry's payload is.
 *
 * @param file the journal file
 * @param position of the payload's first byte in the file
 * @param length of the payload in bytes
 * @param commitTimestamp of its round, milliseconds since the epoch
 */
public record JournalPlace(JournalFile file, long position, int length, long commitTimestamp) {}
