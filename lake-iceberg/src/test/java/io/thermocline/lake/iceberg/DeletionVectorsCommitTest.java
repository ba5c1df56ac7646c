package io.thermocline.lake.iceberg;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The whole suite on tables without deletes by key, format version 3. */
@EnabledIfSystemProperty(named = "thermocline.test.full", matches = "true")
class DeletionVectorsCommitTest extends PositionDeletesCommitTest {

    @Override
    String formatVersion() {
        return "3";
    }
}
