/**
 * The hot store over a directory of the local disk: {@code LocalHotStore} and what holds its parts
 * together. Layout of the directory:
 *
 * <pre>
 * store.json                      format version, store id, epoch, writer epochs reserved
 * lock                            held as long as the store is open
 * journal/*.journal               frame groups of all tables in commit order
 * journal/durable-end             up to where the journal is durable
 * tables/&lt;table id&gt;/table.json    definition of the table
 * tables/&lt;table id&gt;/manifest      its segments, starts and writers
 * tables/&lt;table id&gt;/leases.json   leases in force
 * tables/&lt;table id&gt;/bucket-&lt;n&gt;/changelog/*.segment
 * tables/&lt;table id&gt;/bucket-&lt;n&gt;/keyindex/   RocksDB
 * </pre>
 */
package io.thermocline.hotstore.local;
