package io.thermocline.lake.paimon;

import io.thermocline.lake.LakeTable;
import io.thermocline.lake.conformance.LakeAttachmentSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import io.thermocline.lake.conformance.TestTable;
import java.nio.file.Path;
import java.util.List;

/** Hot tiers of tables whose keys Paimon's index places. */
class DynamicBucketsAttachmentTest extends LakeAttachmentSuite {

    @Override
    protected LakeUnderTest open(Path warehouse) {
        return new PaimonUnderTest(warehouse);
    }

    @Override
    protected LakeTable create(TestTable table, List<String> bucketKeys, int buckets) {
        return DynamicBucketTable.create(catalog, PATH, table);
    }

    @Override
    protected int hotBuckets(int created) {
        return 1;
    }
}
