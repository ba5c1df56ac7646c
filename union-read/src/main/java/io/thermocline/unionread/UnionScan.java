package io.thermocline.unionread;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.filter.RowPredicate;
import io.thermocline.lake.LakeFilter;
import io.thermocline.lake.LakeScan;
import java.io.Serializable;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is read of a logical table.
 *
 * @param projection column names in the order wanted
 * @param lakeFilter what the lake may leave out; any predicate will do, because superseded rows are
 *     dropped by key. Rows that do not match may still come
 * @param changelogFilter what the changelog may leave out; over primary-key columns only, if there
 *     is a primary key. Rows that do not match may still come
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

    /** The wanted columns, followed by the primary-key columns that are not among them. */
    public List<String> projectionWithKey(HotTableSpec spec) {
        Set<String> columns = new LinkedHashSet<>(projection);
        columns.addAll(spec.primaryKey());
        return List.copyOf(columns);
    }

    /** The lake's part of the scan: key columns are read too, to drop superseded rows. */
    public LakeScan lakeScan(HotTableSpec spec, long snapshotId) {
        return new LakeScan(snapshotId, projectionWithKey(spec), lakeFilter);
    }
}
