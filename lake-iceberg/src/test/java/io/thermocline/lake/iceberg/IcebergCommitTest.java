package io.thermocline.lake.iceberg;

import io.thermocline.lake.conformance.LakeCommitSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.nio.file.Path;

class IcebergCommitTest extends LakeCommitSuite {

    @Override
    protected LakeUnderTest open(Path warehouse) {
        return new IcebergUnderTest(warehouse);
    }
}
