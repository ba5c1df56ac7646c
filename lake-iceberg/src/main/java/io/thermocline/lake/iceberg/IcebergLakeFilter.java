package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeFilter;
import org.apache.iceberg.expressions.Expression;

/**
 * An Iceberg expression over the table's columns.
 *
 * @param expression what rows must satisfy
 */
record IcebergLakeFilter(Expression expression) implements LakeFilter {}
