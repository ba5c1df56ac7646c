package io.thermocline.lake.paimon;

import io.thermocline.lake.conformance.LakeDefinitionSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.nio.file.Path;

class PaimonDefinitionTest extends LakeDefinitionSuite {

    @Override
    protected LakeUnderTest open(Path warehouse) {
        return new PaimonUnderTest(warehouse);
    }

    @Override
    protected String lakeName() {
        return "Paimon";
    }
}
