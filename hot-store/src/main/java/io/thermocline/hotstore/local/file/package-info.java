/**
 * Files as the local hot store uses them: append-only files that are forced to disk, and files that
 * many readers share. Everything that writes durable data goes through {@code StorageFiles}, so
 * that tests can make any write, force or truncation fail.
 */
package io.thermocline.hotstore.local.file;
