package io.thermocline.cli;

import io.thermocline.lake.LakeConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options that say where a warehouse is, and of what kind. */
final class WarehouseLocation {

    @Option(
            names = "--warehouse",
            paramLabel = "DIR",
            description =
                    "Directory or URI of the warehouse (default: ./.thermocline/warehouse, for"
                            + " another lake than paimon ./.thermocline/LAKE-warehouse).")
    private String warehouse;

    @Option(
            names = "--lake",
            paramLabel = "LAKE",
            defaultValue = LakeConfig.DEFAULT_LAKE,
            description = "The lake's format: paimon or iceberg (default: ${DEFAULT-VALUE}).")
    private String lake;

    @Option(
            names = "--lake-option",
            paramLabel = "KEY=VALUE",
            description =
                    "Option of the lake's own catalog, such as catalog-type=rest; 'lake.KEY' in"
                            + " CREATE CATALOG.")
    private Map<String, String> options = new LinkedHashMap<>();

    /** A plain path is taken relative to where the command was started; a URI stays as it is. */
    LakeConfig resolve(Workspace workspace) {
        return new LakeConfig(lake, path(workspace), options);
    }

    private String path(Workspace workspace) {
        if (warehouse == null) {
            return workspace.defaultWarehouse(lake).toString();
        }
        return warehouse.contains("://") || warehouse.startsWith("file:")
                ? warehouse
                : Path.of(warehouse).toAbsolutePath().normalize().toString();
    }
}
