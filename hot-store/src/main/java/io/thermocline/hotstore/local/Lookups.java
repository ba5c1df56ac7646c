package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.LookupResult;
import io.thermocline.hotstore.local.bucket.TableBuckets;
import io.thermocline.hotstore.local.keyindex.KeyIndexScan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.data.RowData;

/** Answers lookups from the key index, on the calling thread. Thread-safe. */
final class Lookups {

    private final HotTableSpec spec;
    private final TableBuckets buckets;

    Lookups(HotTableSpec spec, TableBuckets buckets) {
        this.spec = spec;
        this.buckets = buckets;
    }

    LookupResult lookup(LookupRequest request) {
        checkRequest(request);
        StoredRowProjection projection = StoredRowProjection.of(spec, request.projection());
        List<List<RowData>> rows = new ArrayList<>(request.keys().size());
        for (int i = 0; i < request.keys().size(); i++) {
            rows.add(List.of());
        }
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
        byBucket.forEach(
                (bucket, indexes) -> {
                    if (request.prefix()) {
                        scanPrefixes(bucket, indexes, request, projection, rows);
                    } else {
                        getKeys(bucket, indexes, request, projection, rows);
                    }
                });
        return new LookupResult(rows);
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
