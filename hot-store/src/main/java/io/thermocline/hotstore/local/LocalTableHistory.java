package io.thermocline.hotstore.local;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.ReadFigures;
import io.thermocline.hotstore.ReadPeriod;
import io.thermocline.hotstore.TableHistory;
import io.thermocline.hotstore.TieringReport;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The history of a table in two files of its directory. Reads are written at most once per {@link
 * #WRITE_PAUSE} and when the store closes: what a crash takes is at most the reads of that pause.
 */
final class LocalTableHistory implements TableHistory {

    private static final Logger LOG = LoggerFactory.getLogger(LocalTableHistory.class);

    static final String TIERING = "tiering-history.jsonl";
    static final String READS = "read-history.jsonl";

    /** Periods of reads that are kept when the file is shortened. */
    static final int MAX_PERIODS = 31 * 24;

    private static final Duration WRITE_PAUSE = Duration.ofMinutes(1);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String table;
    private final HistoryFile tiering;
    private final HistoryFile reads;
    private final Clock clock;
    private final AtomicBoolean damageLogged = new AtomicBoolean();
    private final NavigableMap<Long, ReadFigures> unwritten = new TreeMap<>();
    private long nextWriteMillis;
    private ReadFigures readTotal = ReadFigures.NONE;
    private TieringTotal tieringTotal = TieringTotal.NONE;

    LocalTableHistory(String table, Path directory, StorageFiles files, Clock clock) {
        this.table = table;
        this.clock = clock;
        this.tiering =
                new HistoryFile(directory.resolve(TIERING), files, LocalTableHistory::newerHalf);
        this.reads = new HistoryFile(directory.resolve(READS), files, this::mergePeriods);
    }

    private static List<String> newerHalf(List<String> lines) {
        long bytes = 0;
        int first = lines.size();
        while (first > 0 && bytes < HistoryFile.MAX_BYTES / 2) {
            first--;
            bytes += lines.get(first).length() + 1;
        }
        return lines.subList(Math.min(first, lines.size() - 1), lines.size());
    }

    private List<String> mergePeriods(List<String> lines) {
        List<String> merged =
                periods(lines).entrySet().stream().map(LocalTableHistory::line).toList();
        return merged.subList(Math.max(0, merged.size() - MAX_PERIODS), merged.size());
    }

    private static String line(java.util.Map.Entry<Long, ReadFigures> period) {
        return write(new ReadPeriod(period.getKey(), period.getValue()));
    }

    private NavigableMap<Long, ReadFigures> periods(List<String> lines) {
        NavigableMap<Long, ReadFigures> periods = new TreeMap<>();
        for (ReadPeriod period : read(lines, ReadPeriod.class)) {
            periods.merge(period.startMillis(), period.figures(), ReadFigures::plus);
        }
        return periods;
    }

    @Override
    public synchronized void reportTiering(TieringReport report) {
        tieringTotal = tieringTotal.plus(report);
        try {
            tiering.append(List.of(write(report)));
        } catch (IOException | HotStoreException e) {
            LOG.warn("A tiering round of {} is missing in its history", table, e);
        }
    }

    @Override
    public List<TieringReport> tieringRounds() {
        return read(lines(tiering), TieringReport.class);
    }

    @Override
    public synchronized void reportReads(ReadFigures figures) {
        long now = clock.millis();
        long period = READ_PERIOD.toMillis();
        unwritten.merge(Math.floorDiv(now, period) * period, figures, ReadFigures::plus);
        readTotal = readTotal.plus(figures);
        if (now >= nextWriteMillis) {
            nextWriteMillis = now + WRITE_PAUSE.toMillis();
            flush();
        }
    }

    /** Writes what was reported since the last time. */
    synchronized void flush() {
        if (unwritten.isEmpty()) {
            return;
        }
        try {
            reads.append(unwritten.entrySet().stream().map(LocalTableHistory::line).toList());
            unwritten.clear();
        } catch (IOException | HotStoreException e) {
            // kept in memory: the next flush tries again
            LOG.warn("Figures of the reads of {} could not be written", table, e);
        }
    }

    @Override
    public synchronized List<ReadPeriod> readPeriods() {
        NavigableMap<Long, ReadFigures> periods = periods(lines(reads));
        unwritten.forEach((start, figures) -> periods.merge(start, figures, ReadFigures::plus));
        return periods.entrySet().stream()
                .map(period -> new ReadPeriod(period.getKey(), period.getValue()))
                .toList();
    }

    /** What was read since the store was opened. */
    synchronized ReadFigures readTotal() {
        return readTotal;
    }

    /** What was tiered since the store was opened. */
    synchronized TieringTotal tieringTotal() {
        return tieringTotal;
    }

    private List<String> lines(HistoryFile file) {
        try {
            return file.lines();
        } catch (IOException e) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED, "cannot read the history of table " + table, e);
        }
    }

    private static String write(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new HotStoreException(ErrorCode.INTERNAL, "cannot write " + value, e);
        }
    }

    private <T> List<T> read(List<String> lines, Class<T> type) {
        return lines.stream().map(line -> read(line, type)).filter(Objects::nonNull).toList();
    }

    /** Null for a line that is damaged: the others are worth as much without it. */
    private <T> @Nullable T read(String line, Class<T> type) {
        try {
            T value = JSON.readValue(line, type);
            if (value != null) {
                return value;
            }
            logDamage(line, type, null);
        } catch (JsonProcessingException e) {
            logDamage(line, type, e);
        }
        return null;
    }

    private void logDamage(String line, Class<?> type, @Nullable Exception cause) {
        if (!damageLogged.getAndSet(true)) {
            LOG.warn(
                    "The history of {} has a line that is no {}, which is left out, as any other:"
                            + " {}",
                    table,
                    type.getSimpleName(),
                    line,
                    cause);
        }
    }
}
