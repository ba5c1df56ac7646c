package io.thermocline.source.reader;

import io.thermocline.source.split.ThermoclineSplit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.fetcher.SplitFetcher;
import org.apache.flink.connector.base.source.reader.fetcher.SplitFetcherManager;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;

/**
 * Gives every split that tails a changelog its own fetcher, so that no bucket waits for another
 * one's records; all bounded splits share one fetcher, so that only one of them holds memory.
 */
final class UnitFetcherManager extends SplitFetcherManager<ChunkCursor, ThermoclineSplit> {

    private static final int NONE = -1;

    private int boundedFetcherId = NONE;

    UnitFetcherManager(
            Supplier<SplitReader<ChunkCursor, ThermoclineSplit>> readers,
            Configuration configuration) {
        super(readers, configuration);
    }

    @Override
    public void addSplits(List<ThermoclineSplit> splitsToAdd) {
        List<ThermoclineSplit> bounded = new ArrayList<>();
        for (ThermoclineSplit split : splitsToAdd) {
            if (split.unit().isUnbounded()) {
                startWith(createSplitFetcher(), List.of(split));
            } else {
                bounded.add(split);
            }
        }
        if (!bounded.isEmpty()) {
            addBounded(bounded);
        }
    }

    @Override
    public void removeSplits(List<ThermoclineSplit> splitsToRemove) {
        throw new UnsupportedOperationException("splits are never removed from a reader");
    }

    private void addBounded(List<ThermoclineSplit> splits) {
        SplitFetcher<ChunkCursor, ThermoclineSplit> running = fetchers.get(boundedFetcherId);
        if (running != null) {
            running.addSplits(splits);
            return;
        }
        SplitFetcher<ChunkCursor, ThermoclineSplit> fetcher = createSplitFetcher();
        boundedFetcherId = fetcher.fetcherId();
        startWith(fetcher, splits);
    }

    private void startWith(
            SplitFetcher<ChunkCursor, ThermoclineSplit> fetcher, List<ThermoclineSplit> splits) {
        fetcher.addSplits(splits);
        startFetcher(fetcher);
    }
}
