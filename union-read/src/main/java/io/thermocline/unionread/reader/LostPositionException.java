package io.thermocline.unionread.reader;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import org.jspecify.annotations.Nullable;

/**
 * A read cannot go on from where it was: what lies ahead of it is gone and does not come back, so
 * that it fails again whenever it is tried again.
 */
public final class LostPositionException extends HotStoreException {

    private static final long serialVersionUID = 1L;

    LostPositionException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }
}
