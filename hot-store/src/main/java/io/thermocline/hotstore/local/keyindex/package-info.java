/**
 * The key index of a bucket: primary key to latest row, in RocksDB. RocksDB's own log is off: the
 * changelog is the log, and the offset up to which it is applied is written with the rows. Only API
 * that {@code rocksdbjni} and {@code frocksdbjni} 8.10 share is used, and only files that both can
 * read are written.
 */
package io.thermocline.hotstore.local.keyindex;
