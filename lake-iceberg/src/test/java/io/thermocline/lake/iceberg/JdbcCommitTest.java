package io.thermocline.lake.iceberg;

import io.thermocline.lake.conformance.LakeCommitSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Iceberg's JDBC catalog on PostgreSQL. */
class JdbcCommitTest extends LakeCommitSuite {

    @RegisterExtension private static final PostgresServer SERVER = new PostgresServer();

    @Override
    protected LakeUnderTest open(Path warehouse) {
        return new IcebergUnderTest(warehouse, SERVER.catalogOptions());
    }
}
