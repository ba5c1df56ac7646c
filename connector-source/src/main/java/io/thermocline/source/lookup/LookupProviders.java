package io.thermocline.source.lookup;

import org.apache.flink.table.connector.source.LookupTableSource.LookupRuntimeProvider;
import org.apache.flink.table.connector.source.lookup.AsyncLookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.PartialCachingAsyncLookupProvider;
import org.apache.flink.table.connector.source.lookup.PartialCachingLookupProvider;
import org.apache.flink.table.connector.source.lookup.cache.LookupCache;
import org.apache.flink.table.functions.AsyncLookupFunction;
import org.apache.flink.table.functions.LookupFunction;
import org.jspecify.annotations.Nullable;

/**
 * Providers of lookup functions. The asynchronous ones offer the synchronous function as well, for
 * plans that need the order of a changelog.
 */
public final class LookupProviders {

    private LookupProviders() {}

    /**
     * @param async whether many keys may be under way at a time
     * @param cache cache of rows found; null for none
     */
    public static LookupRuntimeProvider of(
            LookupSpec spec, boolean async, @Nullable LookupCache cache) {
        if (cache == null) {
            return async ? new Both(spec) : LookupFunctionProvider.of(new HotLookupFunction(spec));
        }
        return async
                ? new CachedBoth(spec, cache)
                : PartialCachingLookupProvider.of(new HotLookupFunction(spec), cache);
    }

    private record Both(LookupSpec spec)
            implements AsyncLookupFunctionProvider, LookupFunctionProvider {

        @Override
        public AsyncLookupFunction createAsyncLookupFunction() {
            return new HotAsyncLookupFunction(spec);
        }

        @Override
        public LookupFunction createLookupFunction() {
            return new HotLookupFunction(spec);
        }
    }

    private record CachedBoth(LookupSpec spec, LookupCache cache)
            implements PartialCachingAsyncLookupProvider, PartialCachingLookupProvider {

        @Override
        public LookupCache getCache() {
            return cache;
        }

        @Override
        public AsyncLookupFunction createAsyncLookupFunction() {
            return new HotAsyncLookupFunction(spec);
        }

        @Override
        public LookupFunction createLookupFunction() {
            return new HotLookupFunction(spec);
        }
    }
}
