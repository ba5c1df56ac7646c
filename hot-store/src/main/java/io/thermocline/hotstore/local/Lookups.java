package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.LookupResult;
import io.thermocline.hotstore.local.bucket.TableBuckets;
import io.thermocline.hotstore.local.keyindex.KeyIndexScan;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** Answers lookups from the key index, on the calling thread. Thread-safe. */
final class Lookups {

    private final HotTableSpec spec;
    private final TableBuckets buckets;

    /** Of the last request: callers mostly want the same columns again. */
    private volatile @Nullable StoredRowProjection lastProjection;

    Lookups(HotTableSpec spec, TableBuckets buckets) {
        this.spec = spec;
        this.buckets = buckets;
    }

    LookupResult lookup(LookupRequest request) {
        checkRequest(request);
        StoredRowProjection projection = projection(request.projection());
        if (request.keys().size() == 1
                && !request.prefix()
                && request.buckets()[0] != LookupRequest.ALL_BUCKETS) {
            byte[] value =
                    buckets.bucket(request.buckets()[0]).keyIndex().get(request.keys().get(0));
            return new LookupResult(
                    List.of(value == null ? List.of() : List.of(projection.project(value))));
        }
        List<List<RowData>> rows =
                new ArrayList<>(Collections.nCopies(request.keys().size(), List.of()));
        byBucket(request)
                .forEach(
                        (bucket, indexes) -> {
                            if (request.prefix()) {
                                scanPrefixes(bucket, indexes, request, projection, rows);
                            } else {
                                getKeys(bucket, indexes, request, projection, rows);
                            }
                        });
        return new LookupResult(rows);
    }

    private StoredRowProjection projection(List<String> columns) {
        StoredRowProjection last = lastProjection;
        if (last == null || !last.columns().equals(columns)) {
            last = StoredRowProjection.of(spec, columns);
            lastProjection = last;
        }
        return last;
    }

    private Map<Integer, List<Integer>> byBucket(LookupRequest request) {
        Map<Integer, List<Integer>> byBucket = new HashMap<>();
        for (int i = 0; i < request.keys().size(); i++) {
            int bucket = request.buckets()[i];
            if (bucket != LookupRequest.ALL_BUCKETS) {
                byBucket.computeIfAbsent(bucket, b -> new ArrayList<>()).add(i);
                continue;
            }
            for (int each = 0; each < spec.bucketCount(); each++) {
                byBucket.computeIfAbsent(each, b -> new ArrayList<>()).add(i);
            }
        }
        return byBucket;
    }

    private void checkRequest(LookupRequest request) {
        if (!spec.hasPrimaryKey()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "table " + spec.path() + " has no primary key: it cannot be looked up by key");
        }
        if (request.buckets().length != request.keys().size()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a lookup in table "
                            + spec.path()
                            + " has "
                            + request.keys().size()
                            + " keys, but "
                            + request.buckets().length
                            + " buckets");
        }
        for (int bucket : request.buckets()) {
            if (bucket != LookupRequest.ALL_BUCKETS
                    && (bucket < 0 || bucket >= spec.bucketCount())) {
                throw new HotStoreException(
                        ErrorCode.INVALID_ARGUMENT,
                        "table "
                                + spec.path()
                                + " has the buckets 0 to "
                                + (spec.bucketCount() - 1)
                                + ", not "
                                + bucket);
            }
        }
    }

    private void getKeys(
            int bucket,
            List<Integer> indexes,
            LookupRequest request,
            StoredRowProjection projection,
            List<List<RowData>> rows) {
        List<byte[]> keys = new ArrayList<>(indexes.size());
        for (int index : indexes) {
            keys.add(request.keys().get(index));
        }
        List<byte[]> values = buckets.bucket(bucket).keyIndex().multiGet(keys);
        for (int i = 0; i < values.size(); i++) {
            if (values.get(i) != null) {
                rows.set(indexes.get(i), List.of(projection.project(values.get(i))));
            }
        }
    }

    private void scanPrefixes(
            int bucket,
            List<Integer> indexes,
            LookupRequest request,
            StoredRowProjection projection,
            List<List<RowData>> rows) {
        for (int index : indexes) {
            List<RowData> found = new ArrayList<>(rows.get(index));
            try (KeyIndexScan scan =
                    buckets.bucket(bucket).keyIndex().scan(request.keys().get(index))) {
                while (scan.next()) {
                    found.add(projection.project(scan.value()));
                }
            }
            rows.set(index, found);
        }
    }
}
