package io.thermocline.lake.paimon;

import io.thermocline.lake.conformance.LakeReadSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.nio.file.Path;

class PaimonReadTest extends LakeReadSuite {

    @Override
    protected LakeUnderTest open(Path warehouse) {
        return new PaimonUnderTest(warehouse);
    }
}
