package io.thermocline.lake.iceberg;

import io.thermocline.lake.conformance.LakeAttachmentSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Iceberg's JDBC catalog on PostgreSQL. */
class JdbcAttachmentTest extends LakeAttachmentSuite {

    @RegisterExtension private static final PostgresServer SERVER = new PostgresServer();

    @Override
    protected LakeUnderTest open(Path warehouse) {
        return new IcebergUnderTest(warehouse, SERVER.catalogOptions());
    }
}
