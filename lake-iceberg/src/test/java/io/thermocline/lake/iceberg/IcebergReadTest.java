package io.thermocline.lake.iceberg;

import io.thermocline.lake.conformance.LakeReadSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.nio.file.Path;

class IcebergReadTest extends LakeReadSuite {

    @Override
    protected LakeUnderTest open(Path warehouse) {
        return new IcebergUnderTest(warehouse);
    }
}
