package io.thermocline.lake.paimon;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PaimonLakeBindingTest {

    @TempDir private Path temporary;

    private LakeCatalog open(String warehouse, Map<String, String> options) {
        return new PaimonLakeBinding()
                .open(new LakeConfig("paimon", warehouse, options), getClass().getClassLoader());
    }

    @Test
    void isFoundByItsIdentifier() {
        assertThat(ServiceLoader.load(LakeBinding.class))
                .extracting(LakeBinding::identifier)
                .contains("paimon");
    }

    @Test
    void aWarehouseThatCannotBeWrittenIsNamed() throws Exception {
        Path file = Files.createFile(temporary.resolve("file"));

        assertThatThrownBy(() -> open(file.resolve("warehouse").toString(), Map.of()))
                .isInstanceOfSatisfying(
                        LakeException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.LAKE_UNAVAILABLE))
                .hasMessageContaining("cannot open the Paimon warehouse '" + file + "/warehouse'")
                .hasMessageContaining("that this process may write there");
    }

    @Test
    void anUnknownMetastoreIsAnInvalidOption() {
        assertThatThrownBy(
                        () ->
                                open(
                                        temporary.resolve("w").toString(),
                                        Map.of("metastore", "nowhere")))
                .isInstanceOfSatisfying(
                        LakeException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_OPTION))
                .hasMessageContaining("nowhere")
                .hasMessageContaining("'lake.'");
    }

    @Test
    void aMissingJarIsNamed() {
        LakeConfig config = new LakeConfig("paimon", "/w", Map.of());

        assertThat(
                        PaimonLakeBinding.missingJar(
                                config,
                                new NoClassDefFoundError("org/apache/hadoop/conf/Configuration")))
                .hasMessageContaining("class org.apache.hadoop.conf.Configuration cannot be loaded")
                .hasMessageContaining("hadoop-client-api and hadoop-client-runtime");
        assertThat(
                        PaimonLakeBinding.missingJar(
                                config,
                                new NoClassDefFoundError("org/apache/paimon/options/Options")))
                .hasMessageContaining("paimon-flink jar");
    }

    @Test
    void openWithoutPaimonOnTheClassPathNamesTheJar() throws Exception {
        try (HidingClassLoader loader = new HidingClassLoader("org.apache.paimon.")) {
            Object binding =
                    loader.loadClass(PaimonLakeBinding.class.getName())
                            .getDeclaredConstructor()
                            .newInstance();
            LakeBinding withoutPaimon = (LakeBinding) binding;

            assertThatThrownBy(
                            () ->
                                    withoutPaimon.open(
                                            new LakeConfig("paimon", "/w", Map.of()), loader))
                    .isInstanceOf(LakeException.class)
                    .hasMessageContaining("paimon-flink jar for this Flink version");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "snapshot.time-retained",
                "file.format",
                "fields.a.default-value",
                "parquet.compression.codec.zstd.level",
                "scan.parallelism"
            })
    void knowsPaimonsTableOptions(String key) throws Exception {
        try (LakeCatalog catalog = open(temporary.resolve("w").toString(), Map.of())) {
            assertThat(catalog.isTableOption(key)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"snapshot.time-retaine", "hot.enabled", "fields.", ""})
    void knowsWhatIsNotATableOption(String key) throws Exception {
        try (LakeCatalog catalog = open(temporary.resolve("w").toString(), Map.of())) {
            assertThat(catalog.isTableOption(key)).isFalse();
        }
    }

    @Test
    void aWarehouseMayBeGivenAsUri() throws Exception {
        Path warehouse = temporary.resolve("with space");
        try (LakeCatalog catalog = open("file://" + warehouse, Map.of())) {
            assertThat(catalog.warehouseFiles().localDirectory()).contains(warehouse);
            assertThat(catalog.warehouseFiles().createIfAbsent("x", new byte[] {1})).isTrue();
            assertThat(warehouse.resolve(".thermocline/x")).hasBinaryContent(new byte[] {1});
            assertThat(catalog.flinkCatalog().listDatabases()).containsExactly("default");
        }
    }
}
