package io.thermocline.lake.iceberg;

import io.thermocline.lake.conformance.LakeAttachmentSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.nio.file.Path;

class IcebergAttachmentTest extends LakeAttachmentSuite {

    @Override
    protected LakeUnderTest open(Path warehouse) {
        return new IcebergUnderTest(warehouse);
    }
}
