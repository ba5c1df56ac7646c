package io.thermocline.lake.iceberg;

import io.thermocline.lake.conformance.LakeCommitSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.nio.file.Path;
import java.util.Map;

/** Iceberg's JDBC catalog on SQLite. */
class JdbcCommitTest extends LakeCommitSuite {

    @Override
    protected LakeUnderTest open(Path warehouse) {
        return new IcebergUnderTest(
                warehouse,
                Map.of(
                        "catalog-type",
                        "jdbc",
                        "uri",
                        "jdbc:sqlite:" + temporary.resolve("catalog.db"),
                        "jdbc.schema-version",
                        "V1"));
    }
}
