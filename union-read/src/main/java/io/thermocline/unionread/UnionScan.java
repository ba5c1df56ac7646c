package io.thermocline.unionread;

import io.thermocline.hotstore.filter.RowPredicate;
import io.thermocline.lake.LakeFilter;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is read of a logical table.
 *
 * @param projection column names in the order wanted
 * @param lakeFilter what the lake may leave out; any predicate will do, because superseded rows are
 *     dropped by key. Rows that do not match may still come
 * @param changelogFilter what the changelog may leave out; over primary-key columns only, if there is a
 *     primary key. Rows that do not match may still come
 */
public record UnionScan(
        List<String> projection,
        @Nullable LakeFilter lakeFilter,
        @Nullable RowPredicate changelogFilter)
        implements Serializable {

    public UnionScan {
        projection = List.copyOf(projection);
    }

    /** All rows, with these columns. */
    public static UnionScan of(List<String> projection) {
        return new UnionScan(projection, null, null);
    }
}
