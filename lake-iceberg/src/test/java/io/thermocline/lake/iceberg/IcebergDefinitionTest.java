package io.thermocline.lake.iceberg;

import io.thermocline.lake.conformance.LakeDefinitionSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.nio.file.Path;

class IcebergDefinitionTest extends LakeDefinitionSuite {

    @Override
    protected LakeUnderTest open(Path warehouse) {
        return new IcebergUnderTest(warehouse);
    }

    @Override
    protected String lakeName() {
        return "Iceberg";
    }
}
