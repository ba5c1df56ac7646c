package io.thermocline.lake.iceberg;

import io.thermocline.lake.conformance.LakeDefinitionSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import java.nio.file.Path;
import java.util.Map;

/** Iceberg's JDBC catalog on SQLite. */
class JdbcDefinitionTest extends LakeDefinitionSuite {

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

    @Override
    protected String lakeName() {
        return "Iceberg";
    }
}
