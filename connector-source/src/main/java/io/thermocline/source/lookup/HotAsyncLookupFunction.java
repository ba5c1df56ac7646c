package io.thermocline.source.lookup;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.AsyncLookupFunction;
import org.apache.flink.table.functions.FunctionContext;
import org.jspecify.annotations.Nullable;

/**
 * Asks without waiting: keys asked while an answer is under way travel together. Public because
 * generated code calls it.
 */
public final class HotAsyncLookupFunction extends AsyncLookupFunction {

    private static final long serialVersionUID = 1L;

    private final LookupSpec spec;
    private transient @Nullable IndexLookup lookup;

    HotAsyncLookupFunction(LookupSpec spec) {
        this.spec = spec;
    }

    @Override
    public void open(FunctionContext context) {
        lookup = spec.newLookup();
        lookup.open(context.getMetricGroup());
    }

    @Override
    public CompletableFuture<Collection<RowData>> asyncLookup(RowData key) {
        return lookup.lookup(key);
    }

    @Override
    public void close() {
        if (lookup != null) {
            lookup.close();
        }
    }
}
