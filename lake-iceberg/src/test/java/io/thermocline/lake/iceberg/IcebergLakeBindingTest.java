package io.thermocline.lake.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.lake.LakeBinding;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import org.apache.flink.table.catalog.CatalogDatabaseImpl;
import org.apache.flink.table.catalog.ObjectPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IcebergLakeBindingTest {

    @TempDir private Path temporary;

    private LakeCatalog open(String warehouse, Map<String, String> options) {
        return new IcebergLakeBinding()
                .open(new LakeConfig("iceberg", warehouse, options), getClass().getClassLoader());
    }

    @Test
    void isFoundByItsIdentifier() {
        assertThat(ServiceLoader.load(LakeBinding.class))
                .extracting(LakeBinding::identifier)
                .contains("iceberg");
    }

    @Test
    void aWarehouseThatCannotBeWrittenIsNamed() throws Exception {
        Path file = Files.createFile(temporary.resolve("file"));

        assertThatThrownBy(() -> open(file.resolve("warehouse").toString(), Map.of()))
                .isInstanceOfSatisfying(
                        LakeException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.LAKE_UNAVAILABLE))
                .hasMessageContaining("cannot open the Iceberg warehouse '" + file + "/warehouse'")
                .hasMessageContaining("that this process may write there");
    }

    @Test
    void anUnknownCatalogTypeIsAnInvalidOption() {
        assertThatThrownBy(
                        () ->
                                open(
                                        temporary.resolve("w").toString(),
                                        Map.of("catalog-type", "nowhere")))
                .isInstanceOfSatisfying(
                        LakeException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_OPTION))
                .hasMessageContaining("nowhere")
                .hasMessageContaining("'lake.'");
    }

    @Test
    void openWithoutIcebergOnTheClassPathNamesTheJar() throws Exception {
        try (HidingClassLoader loader = new HidingClassLoader("org.apache.iceberg.")) {
            Object binding =
                    loader.loadClass(IcebergLakeBinding.class.getName())
                            .getDeclaredConstructor()
                            .newInstance();

            assertThatThrownBy(
                            () ->
                                    ((LakeBinding) binding)
                                            .open(
                                                    new LakeConfig("iceberg", "/w", Map.of()),
                                                    loader))
                    .isInstanceOf(LakeException.class)
                    .hasMessageContaining("iceberg-flink-runtime jar for this Flink version");
        }
        assertThat(
                        IcebergLakeBinding.missingJar(
                                new LakeConfig("iceberg", "/w", Map.of()),
                                new NoClassDefFoundError("org/apache/hadoop/conf/Configuration")))
                .hasMessageContaining("class org.apache.hadoop.conf.Configuration cannot be loaded")
                .hasMessageContaining("hadoop-client-api and hadoop-client-runtime");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "format-version",
                "write.format.default",
                "write.target-file-size-bytes",
                "write.metadata.metrics.column.a",
                "commit.retry.num-retries",
                "location"
            })
    void knowsIcebergsTableOptions(String key) {
        try (LakeCatalog catalog = open(temporary.resolve("w").toString(), Map.of())) {
            assertThat(catalog.isTableOption(key)).isTrue();
            assertThat(catalog.hotTableConflict(key)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "write.format.defaul",
                "hot.enabled",
                "write.metadata.metrics.column.",
                "current-snapshot-id",
                "none",
                ""
            })
    void knowsWhatIsNotATableOption(String key) {
        try (LakeCatalog catalog = open(temporary.resolve("w").toString(), Map.of())) {
            assertThat(catalog.isTableOption(key)).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "write.upsert.enabled,already merged",
        "history.expire.max-snapshot-age-ms,hot.log.retention",
        "gc.enabled,hot.log.retention",
        "write.wap.enabled,at once"
    })
    void knowsWhatAHotTierDoesNotGoWith(String key, String reason) {
        try (LakeCatalog catalog = open(temporary.resolve("w").toString(), Map.of())) {
            assertThat(catalog.isTableOption(key)).isTrue();
            assertThat(catalog.hotTableConflict(key).orElseThrow()).contains(reason);
        }
    }

    @Test
    void aWarehouseMayBeGivenAsUri() throws Exception {
        Path warehouse = temporary.resolve("with space");
        try (LakeCatalog catalog = open("file://" + warehouse, Map.of())) {
            assertThat(catalog.warehouseFiles().localDirectory()).contains(warehouse);
            assertThat(catalog.warehouseFiles().createIfAbsent("x", new byte[] {1})).isTrue();
            assertThat(warehouse.resolve(".thermocline/x")).hasBinaryContent(new byte[] {1});
            catalog.flinkCatalog()
                    .createDatabase("db", new CatalogDatabaseImpl(Map.of(), null), false);
            assertThat(catalog.flinkCatalog().listDatabases()).containsExactly("db");
        }
    }

    @Test
    void namesOfMetadataTables() throws Exception {
        try (LakeCatalog catalog = open(temporary.resolve("w").toString(), Map.of())) {
            assertThat(catalog.flinkCatalog().tableExists(new ObjectPath("db", "t$snapshots")))
                    .isFalse();
            assertThat(catalog.flinkCatalog().tableExists(new ObjectPath("db", "t$nonsense")))
                    .isFalse();
        }
    }

    @Test
    void anObjectStoreNeedsACatalogWithAtomicCommits() {
        CatalogAccess hadoop = CatalogAccess.of(new LakeConfig("iceberg", "s3://b/w", Map.of()));
        CatalogAccess rest =
                CatalogAccess.of(
                        new LakeConfig("iceberg", "s3://b/w", Map.of("catalog-type", "rest")));

        assertThatThrownBy(() -> hadoop.checkAtomic(new ObjectPath("db", "t")))
                .hasMessageStartingWith(
                        "INVALID_OPTION: table db.t lies on an object store (s3://b/w)")
                .hasMessageContaining("'lake.catalog-type'='rest' or 'jdbc'");
        rest.checkAtomic(new ObjectPath("db", "t"));
    }
}
