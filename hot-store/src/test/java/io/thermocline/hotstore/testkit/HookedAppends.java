package io.thermocline.hotstore.testkit;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotTable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;

/** A store whose requests to append pass through the test. */
public final class HookedAppends {

    private HookedAppends() {}

    /** Is called instead of {@link HotTable#append}. */
    public interface Hook {
        CompletableFuture<AppendResult> append(HotTable table, AppendBatch batch);
    }

    /** The store with the hook; closing it closes the store. */
    public static HotStore of(HotStore store, Hook hook) {
        return proxy(
                HotStore.class,
                store,
                (method, arguments, result) ->
                        method.equals("openTable")
                                ? hooked((HotTable) result.call(), hook)
                                : result.call());
    }

    private static HotTable hooked(HotTable table, Hook hook) {
        return proxy(
                HotTable.class,
                table,
                (method, arguments, result) ->
                        method.equals("append")
                                ? hook.append(table, (AppendBatch) arguments[0])
                                : result.call());
    }

    private interface Call {
        Object call() throws Throwable;
    }

    private interface Around {
        Object answer(String method, Object[] arguments, Call result) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, T target, Around around) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (self, method, arguments) ->
                                around.answer(
                                        method.getName(),
                                        arguments,
                                        () -> {
                                            try {
                                                return method.invoke(target, arguments);
                                            } catch (InvocationTargetException e) {
                                                throw e.getCause();
                                            }
                                        })));
    }
}
