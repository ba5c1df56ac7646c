package io.thermocline.lake.paimon;

import io.thermocline.lake.conformance.LakeAttachmentSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.nio.file.Path;

class PaimonAttachmentTest extends LakeAttachmentSuite {

    @Override
    protected LakeUnderTest open(Path warehouse) {
        return new PaimonUnderTest(warehouse);
    }
}
