package io.thermocline.catalog;

import static io.thermocline.catalog.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.factories.FactoryUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThermoclineCatalogFactoryTest {

    @TempDir private Path directory;

    @Test
    void creatingACatalogTouchesNothing() {
        Path warehouse = directory.resolve("not/there");
        Catalog catalog = create(Map.of("warehouse", warehouse.toString()));
        assertThat(warehouse).doesNotExist();
        assertThat(catalog.getDefaultDatabase()).isEqualTo("default");
        catalog.open();
        assertThat(catalog.databaseExists("default")).isTrue();
        catalog.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "warehous | x | unknown option 'warehous' of catalog 'tc'. Did you mean 'warehouse'?",
                "lak | paimon | Did you mean 'lake'?",
                "lake | hudi | option 'lake' = 'hudi' is not valid: lakes on the class path are [iceberg, paimon]",
                "engin | local | Did you mean 'engine'?",
                "engine | kafka | option 'engine' = 'kafka' of catalog 'tc' is not valid: only 'local' is supported",
                "kafka.bootstrap.servers | x | the 'kafka' engine is not supported",
                "default-databas | x | Did you mean 'default-database'?",
                "default-database | nowhere | the default database 'nowhere' of catalog 'tc' does not exist in warehouse",
                "server.adress | x | Did you mean 'server.address'?",
                "server.hot-dir | x | Did you mean 'server.hot-directory'?",
                "server.hot-directory | data/hot | option 'server.hot-directory' must be an absolute path on a local disk, such as '/var/lib/thermocline/hot', but is 'data/hot'",
                "server.hot-directory | file:///data/hot | option 'server.hot-directory' must be an absolute path",
                "server.bindhost | x | Did you mean 'server.bind-host'?",
                "server.prot | x | Did you mean 'server.port'?",
                "server.port | x | option 'server.port'",
                "server.tokn | x | Did you mean 'server.token'?",
                "server.idle | x | Did you mean 'server.idle-timeout'?",
                "server.idle-timeout | x | an option of catalog 'tc' is not valid",
                "server.memroy | x | Did you mean 'server.memory'?",
                "server.retry-timout | x | Did you mean 'server.retry-timeout'?",
                "server.hostname | x | Did you mean 'server.host-name'?",
            })
    void wrongOptionsAreRefused(String key, String value, String message) {
        assertRefused(
                () -> {
                    Map<String, String> options = new TreeMap<>();
                    options.put("warehouse", directory.resolve("wh").toString());
                    options.put(key, value);
                    create(options).open();
                },
                message);
    }

    @Test
    void warehouseIsNeeded() {
        assertRefused(() -> create(Map.of()), "catalog 'tc' needs option 'warehouse'");
    }

    @Test
    void warehouseThatCannotBeWrittenIsNamed() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "not a directory");
        assertRefused(
                () -> create(Map.of("warehouse", file.resolve("wh").toString())).open(),
                "cannot open the Paimon warehouse '" + file.resolve("wh"));
    }

    @Test
    void lakeOptionsReachTheLake() {
        assertRefused(
                () ->
                        create(
                                        Map.of(
                                                "warehouse",
                                                directory.resolve("wh").toString(),
                                                "lake.metastore",
                                                "nonsense"))
                                .open(),
                "nonsense");
    }

    @Test
    void createCatalogStatement() {
        TestSession session = TestSession.open(EnvironmentSettings.inBatchMode(), directory);
        assertThat(session.column("SHOW DATABASES")).containsExactly("default");
        assertThat(session.text("SHOW CREATE CATALOG tc")).contains("'type' = 'thermocline'");
    }

    private static Catalog create(Map<String, String> options) {
        Map<String, String> all = new TreeMap<>(options);
        all.put("type", "thermocline");
        return FactoryUtil.createCatalog(
                "tc",
                all,
                new Configuration(),
                ThermoclineCatalogFactoryTest.class.getClassLoader());
    }
}
