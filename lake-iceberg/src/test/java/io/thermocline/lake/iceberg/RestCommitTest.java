package io.thermocline.lake.iceberg;

import io.thermocline.lake.conformance.LakeCommitSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Iceberg's REST catalog, served by another process. */
class RestCommitTest extends LakeCommitSuite {

    @TempDir private static Path directory;

    private static RestServer server;

    private IcebergUnderTest iceberg;

    @BeforeAll
    static void start() {
        server = RestServer.start(directory);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected LakeUnderTest open(Path warehouse) {
        iceberg = new IcebergUnderTest(warehouse, server.catalogOptions());
        return iceberg;
    }

    @AfterEach
    void dropTables() {
        iceberg.dropTables();
    }
}
