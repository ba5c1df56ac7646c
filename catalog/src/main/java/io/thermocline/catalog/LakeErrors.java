package io.thermocline.catalog;

import io.thermocline.lake.LakeException;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.exceptions.CatalogException;

/** Turns failures of the lake into the exceptions that Flink expects of a catalog. */
final class LakeErrors {

    private LakeErrors() {}

    /** The unchecked exception of a failure that has no checked counterpart. */
    static RuntimeException toCatalogError(LakeException failure) {
        return switch (failure.reason()) {
            case UNSUPPORTED, INVALID_OPTION ->
                    new ValidationException(failure.getMessage(), failure);
            case LAKE_UNAVAILABLE,
                    TABLE_NOT_FOUND,
                    TABLE_ALREADY_EXISTS,
                    SNAPSHOT_NOT_FOUND,
                    TIERED_STATE_MISSING,
                    COMMIT_CONFLICT,
                    FOREIGN_COMMIT,
                    IO ->
                    new CatalogException(failure.getMessage(), failure);
        };
    }
}
