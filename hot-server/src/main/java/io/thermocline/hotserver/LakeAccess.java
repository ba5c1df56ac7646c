package io.thermocline.hotserver;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.lake.LakeBinding;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.LakeException;
import java.util.Map;

/** Opens lakes, and tells their failures in the hot store's terms. */
final class LakeAccess {

    private LakeAccess() {}

    /**
     * Opens the lake's catalog through its binding.
     *
     * @throws HotStoreException {@code INVALID_ARGUMENT} for an unknown lake, {@code LAKE_FAILED}
     */
    static LakeCatalog open(LakeConfig config) {
        ClassLoader loader = LakeAccess.class.getClassLoader();
        Map<String, LakeBinding> bindings = LakeBinding.seenBy(loader);
        LakeBinding binding = bindings.get(config.lake());
        if (binding == null) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "there is no lake '"
                            + config.lake()
                            + "' (option lake); there are "
                            + bindings.keySet());
        }
        try {
            return binding.open(config, loader);
        } catch (LakeException e) {
            throw failed("open warehouse " + config.warehouse(), e);
        }
    }

    static HotStoreException failed(String what, LakeException cause) {
        return new HotStoreException(
                ErrorCode.LAKE_FAILED, "cannot " + what + ": " + cause.getMessage(), cause);
    }
}
