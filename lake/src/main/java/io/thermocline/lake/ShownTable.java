package io.thermocline.lake;

import org.apache.flink.table.catalog.CatalogBaseTable;
import org.jspecify.annotations.Nullable;

/**
 * What one look at a lake's catalog tells of a table or view.
 *
 * @param table of a table with a hot tier, as its CREATE TABLE statement declared it: columns of
 *     every kind with their types, watermark, keys, comment, partition keys, and the options as
 *     they are stored; without options that only say where the table is or that the lake derives
 *     itself. Anything else as the lake's own Flink catalog shows it
 * @param hot the table, if it has a hot tier
 */
public record ShownTable(CatalogBaseTable table, @Nullable LakeTable hot) {}
