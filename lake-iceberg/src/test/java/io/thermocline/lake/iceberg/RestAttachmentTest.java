package io.thermocline.lake.iceberg;

import io.thermocline.lake.conformance.LakeAttachmentSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Iceberg's REST catalog, served by another process. */
class RestAttachmentTest extends LakeAttachmentSuite {

    @RegisterExtension private static final RestServer SERVER = new RestServer();

    private IcebergUnderTest iceberg;

    @Override
    protected LakeUnderTest open(Path warehouse) {
        iceberg = new IcebergUnderTest(warehouse, SERVER.catalogOptions());
        return iceberg;
    }

    @AfterEach
    void dropTables() {
        iceberg.dropTables();
    }
}
