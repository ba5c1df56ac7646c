package io.thermocline.lake;

import java.io.Serializable;
import java.util.Map;

/**
 * Where a lake is.
 *
 * @param lake binding's identifier
 * @param warehouse URI or path of the warehouse
 * @param options options for the lake's catalog, without the {@code lake.} prefix
 */
public record LakeConfig(String lake, String warehouse, Map<String, String> options)
        implements Serializable {

    /** The lake of a warehouse that names none. */
    public static final String DEFAULT_LAKE = "paimon";

    public LakeConfig {
        options = Map.copyOf(options);
    }
}
