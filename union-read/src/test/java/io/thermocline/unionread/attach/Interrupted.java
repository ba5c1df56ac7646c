package io.thermocline.unionread.attach;

import io.thermocline.hotstore.AbsorbedBatch;
import io.thermocline.hotstore.Absorption;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.HotTable;
import io.thermocline.lake.LakeTable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Both tiers of a table as a tiering round sees them that is killed at some point. */
final class Interrupted {

    /** What kills it. */
    static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private Interrupted() {}

    /** A lake table whose commit is not reached, or is the last thing done. */
    static LakeTable atCommit(LakeTable lake, boolean isCommitted) {
        return (LakeTable)
                Proxy.newProxyInstance(
                        LakeTable.class.getClassLoader(),
                        new Class<?>[] {LakeTable.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("commit") && !isCommitted) {
                                throw new Killed();
                            }
                            Object result = call(lake, method, arguments);
                            if (method.getName().equals("commit")) {
                                throw new Killed();
                            }
                            return result;
                        });
    }

    /** A lake table beside which something happens before each commit. */
    static LakeTable beforeCommit(LakeTable lake, Runnable what) {
        return (LakeTable)
                Proxy.newProxyInstance(
                        LakeTable.class.getClassLoader(),
                        new Class<?>[] {LakeTable.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("commit")) {
                                what.run();
                            }
                            return call(lake, method, arguments);
                        });
    }

    /** A hot table that takes some batches of the lake only. */
    static HotTable afterBatches(HotTable hot, int batches) {
        AtomicInteger left = new AtomicInteger(batches);
        return beforeBatches(
                hot,
                () -> {
                    if (left.getAndDecrement() <= 0) {
                        throw new Killed();
                    }
                });
    }

    /** A hot table beside which something happens before each batch of the lake that it takes. */
    static HotTable beforeBatches(HotTable hot, Runnable what) {
        return (HotTable)
                Proxy.newProxyInstance(
                        HotTable.class.getClassLoader(),
                        new Class<?>[] {HotTable.class},
                        (proxy, method, arguments) -> {
                            Object result = call(hot, method, arguments);
                            return result instanceof Absorption absorption
                                    ? new Watched(absorption, what)
                                    : result;
                        });
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private record Watched(Absorption absorption, Runnable before) implements Absorption {

        @Override
        public Map<Integer, Long> beganAt() {
            return absorption.beganAt();
        }

        @Override
        public CompletableFuture<AppendResult> append(AbsorbedBatch batch) {
            try {
                before.run();
            } catch (RuntimeException e) {
                batch.rows().close();
                throw e;
            }
            return absorption.append(batch);
        }

        @Override
        public void close() {
            absorption.close();
        }
    }
}
