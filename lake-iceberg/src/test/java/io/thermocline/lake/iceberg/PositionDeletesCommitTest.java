package io.thermocline.lake.iceberg;

import io.thermocline.lake.DeleteStyle;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.conformance.LakeCommitSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import io.thermocline.lake.conformance.TestTable;
import java.nio.file.Path;
import java.util.List;
import org.apache.iceberg.TableProperties;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The whole suite on tables without deletes by key, format version 2. */
@EnabledIfSystemProperty(named = "thermocline.test.full", matches = "true")
class PositionDeletesCommitTest extends LakeCommitSuite {

    String formatVersion() {
        return "2";
    }

    @Override
    protected LakeUnderTest open(Path warehouse) {
        return new IcebergUnderTest(warehouse);
    }

    @Override
    protected LakeTable create(TestTable table, List<String> bucketKeys, int buckets) {
        return super.create(
                table.option(LakeTableDefinition.OPTION_PREFIX + DeleteStyle.OPTION, "position")
                        .option(TableProperties.FORMAT_VERSION, formatVersion()),
                bucketKeys,
                buckets);
    }
}
