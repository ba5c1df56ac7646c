package io.thermocline.lake.paimon;

import io.thermocline.lake.LakeFilter;
import org.apache.paimon.predicate.Predicate;

/**
 * A Paimon predicate over the table's columns.
 *
 * @param predicate what rows must satisfy
 */
record PaimonLakeFilter(Predicate predicate) implements LakeFilter {}
