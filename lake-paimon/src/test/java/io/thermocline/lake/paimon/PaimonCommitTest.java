package io.thermocline.lake.paimon;

import io.thermocline.lake.conformance.LakeCommitSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.nio.file.Path;

class PaimonCommitTest extends LakeCommitSuite {

    @Override
    protected LakeUnderTest open(Path warehouse) {
        return new PaimonUnderTest(warehouse);
    }
}
