package io.thermocline.source.lookup;

import java.util.Collection;
import java.util.concurrent.ExecutionException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.LookupFunction;
import org.jspecify.annotations.Nullable;

/** Waits for every answer. */
public final class HotLookupFunction extends LookupFunction {

    private static final long serialVersionUID = 1L;

    private final LookupSpec spec;
    private transient @Nullable IndexLookup lookup;

    HotLookupFunction(LookupSpec spec) {
        this.spec = spec;
    }

    @Override
    public void open(FunctionContext context) {
        lookup = spec.newLookup();
        lookup.open(context.getMetricGroup());
    }

    @Override
    public Collection<RowData> lookup(RowData key) {
        try {
            return lookup.lookup(key).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("lookup was interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException("lookup failed", e.getCause());
        }
    }

    @Override
    public void close() {
        if (lookup != null) {
            lookup.close();
        }
    }
}
