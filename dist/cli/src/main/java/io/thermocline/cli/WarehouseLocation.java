package io.thermocline.cli;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option {@code --warehouse}. */
final class WarehouseLocation {

    @Option(
            names = "--warehouse",
            paramLabel = "DIR",
            description = "Directory or URI of the warehouse (default: ./.thermocline/warehouse).")
    private String warehouse;

    /** A plain path is taken relative to where the command was started; a URI stays as it is. */
    String resolve(Workspace workspace) {
        if (warehouse == null) {
            return workspace.defaultWarehouse().toString();
        }
        return warehouse.contains("://") || warehouse.startsWith("file:")
                ? warehouse
                : Path.of(warehouse).toAbsolutePath().normalize().toString();
    }
}
