package io.thermocline.unionread.verify;

import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * Rows that are counted together.
 *
 * @param bucket bucket number, or {@link Cut#ANY_BUCKET}
 * @param partition partition columns; empty for a table without partitions
 */
record Group(int bucket, BinaryRowData partition) {}
