package io.thermocline.e2e.sql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/** What a table must hold: a map by key, or a list. */
final class TableModel {

    private final RandomTable table;
    private final Map<String, Row> byKey = new TreeMap<>();
    private final List<Row> appended = new ArrayList<>();

    TableModel(RandomTable table) {
        this.table = table;
    }

    void apply(Row change) {
        if (!table.hasKey()) {
            appended.add(change);
        } else if (change.getKind() == RowKind.DELETE) {
            byKey.remove(keyOf(change));
        } else if (change.getKind() != RowKind.UPDATE_BEFORE) {
            Row row = Row.copy(change);
            row.setKind(RowKind.INSERT);
            byKey.put(keyOf(change), row);
        }
    }

    @Nullable Row rowWithKeyOf(Row row) {
        return byKey.get(keyOf(row));
    }

    /** The row of a key in key order. */
    @Nullable Row get(Row key) {
        return byKey.get(RowText.of(key));
    }

    Collection<Row> rows() {
        return table.hasKey() ? byKey.values() : appended;
    }

    /** Rows of some columns as text, sorted. */
    List<String> texts(List<String> columns) {
        return rows().stream()
                .map(row -> RowText.of(table.project(row, columns)))
                .sorted()
                .toList();
    }

    private String keyOf(Row row) {
        return RowText.of(table.project(row, table.key()));
    }
}
