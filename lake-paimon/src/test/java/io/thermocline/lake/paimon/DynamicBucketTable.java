package io.thermocline.lake.paimon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.thermocline.lake.Attachment;
import io.thermocline.lake.Attachment.State;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.conformance.TestTable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.index.HashIndexFile;
import org.apache.paimon.index.IndexFileHandler;
import org.apache.paimon.manifest.IndexManifestEntry;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.utils.Pair;

/** Makes tables with dynamic buckets as there are: plain ones that get a hot tier. */
final class DynamicBucketTable {

    /** Few keys make many buckets. */
    private static final Map<String, String> OPTIONS =
            Map.of("bucket", "-1", "dynamic-bucket.target-row-num", "3");

    private DynamicBucketTable() {}

    static LakeTable create(LakeCatalog catalog, ObjectPath path, TestTable table) {
        ResolvedCatalogTable built = table.build();
        assumeFalse(
                built.getResolvedSchema().getPrimaryKey().isEmpty(),
                "a table without a key has no dynamic buckets");
        Map<String, String> options = new HashMap<>(built.getOptions());
        String idKey = LakeTableDefinition.OPTION_PREFIX + LakeTableDefinition.TABLE_ID;
        String id = options.remove(idKey);
        options.putAll(OPTIONS);
        try {
            catalog.flinkCatalog().createTable(path, built.copy(options), false);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        Attachment plain = catalog.table(path).definition().attachment();
        long newest =
                catalog.table(path)
                        .latestSnapshot()
                        .map(LakeSnapshot::snapshotId)
                        .orElse(Attachment.NO_SNAPSHOT);
        Attachment attaching = plain.attaching(id, newest);
        catalog.attachments().checkAttachable(path);
        catalog.attachments().move(path, plain, attaching, Map.of());
        catalog.attachments().commitFirstState(path, attaching, TieredState.initial(id, 1));
        catalog.attachments().move(path, attaching, attaching.next(State.ATTACHED), Map.of());
        return catalog.table(path);
    }

    /** Checks that Paimon's index has every key of a partition in one bucket at most. */
    static void checkIndex(FileStoreTable table) {
        IndexFileHandler handler = table.store().newIndexFileHandler();
        Map<Pair<BinaryRow, Integer>, Integer> places = new HashMap<>();
        for (IndexManifestEntry entry : handler.scan(HashIndexFile.HASH_INDEX)) {
            for (int hash : hashes(handler, entry)) {
                assertThat(places.put(Pair.of(entry.partition(), hash), entry.bucket()))
                        .as("bucket that has hash %d beside bucket %d", hash, entry.bucket())
                        .isNull();
            }
        }
        assertThat(places).isNotEmpty();
    }

    private static List<Integer> hashes(IndexFileHandler handler, IndexManifestEntry entry) {
        try {
            return handler.hashIndex(entry.partition(), entry.bucket()).readList(entry.indexFile());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
