package io.thermocline.hotstore;

import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * Rows found, one list per key of the request in the same order; empty where the key is missing.
 * Rows have exactly the projected columns, are on the heap and may be kept.
 */
public record LookupResult(List<List<RowData>> rows) {}
