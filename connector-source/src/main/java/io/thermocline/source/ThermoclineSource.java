package io.thermocline.source;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.source.enumerator.EnumeratorState;
import io.thermocline.source.enumerator.EnumeratorStateSerializer;
import io.thermocline.source.enumerator.ReadRequest;
import io.thermocline.source.enumerator.RefusedRestore;
import io.thermocline.source.enumerator.ThermoclineEnumerator;
import io.thermocline.source.reader.ThermoclineSourceReader;
import io.thermocline.source.split.TableSplitSerializer;
import io.thermocline.source.split.ThermoclineSplit;
import io.thermocline.unionread.HotConnection;
import io.thermocline.unionread.reader.ReadContext;
import io.thermocline.unionread.reader.SpillSettings;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.table.data.RowData;

/** FLIP-27 source of a logical table. */
public final class ThermoclineSource
        implements Source<RowData, ThermoclineSplit, EnumeratorState>,
                ResultTypeQueryable<RowData> {

    private static final long serialVersionUID = 1L;

    private final ReadRequest request;
    private final TypeInformation<RowData> producedType;
    private final long keyMemoryBytes;

    /**
     * @param request what to read
     * @param producedType type of the rows: the projected columns
     * @param keyMemoryBytes memory of one set of keys, see {@link SourceOptions#SCAN_KEY_MEMORY}
     */
    public ThermoclineSource(
            ReadRequest request, TypeInformation<RowData> producedType, long keyMemoryBytes) {
        this.request = request;
        this.producedType = producedType;
        this.keyMemoryBytes = keyMemoryBytes;
    }

    @Override
    public Boundedness getBoundedness() {
        return request.bounded() ? Boundedness.BOUNDED : Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SplitEnumerator<ThermoclineSplit, EnumeratorState> createEnumerator(
            SplitEnumeratorContext<ThermoclineSplit> context) {
        return new ThermoclineEnumerator(
                context, request, new HotConnection(request.table()), null);
    }

    /** Refuses the state of an earlier table of the same name: then the job fails at its start. */
    @Override
    public SplitEnumerator<ThermoclineSplit, EnumeratorState> restoreEnumerator(
            SplitEnumeratorContext<ThermoclineSplit> context, EnumeratorState state) {
        HotTableSpec table = request.table().spec();
        if (!state.tableId().equals(table.tableId())) {
            return new RefusedRestore(
                    ReadFailures.forFlink(ReadFailures.recreated(table, state.tableId())));
        }
        return new ThermoclineEnumerator(
                context, request, new HotConnection(request.table()), state);
    }

    @Override
    public SourceReader<RowData, ThermoclineSplit> createReader(SourceReaderContext context) {
        HotConnection connection = new HotConnection(request.table());
        SpillSettings spill = new SpillSettings(spillDirectory(context), keyMemoryBytes);
        ReadContext readContext =
                new ReadContext(request.table(), request.scan(), connection, spill);
        return ThermoclineSourceReader.create(context, connection, readContext);
    }

    @Override
    public SimpleVersionedSerializer<ThermoclineSplit> getSplitSerializer() {
        return new TableSplitSerializer(request.table().spec());
    }

    @Override
    public SimpleVersionedSerializer<EnumeratorState> getEnumeratorCheckpointSerializer() {
        return EnumeratorStateSerializer.INSTANCE;
    }

    @Override
    public TypeInformation<RowData> getProducedType() {
        return producedType;
    }

    private static Path spillDirectory(SourceReaderContext context) {
        String[] directories = ConfigurationUtils.parseTempDirectories(context.getConfiguration());
        int chosen = ThreadLocalRandom.current().nextInt(directories.length);
        return Path.of(directories[chosen], "thermocline-keys");
    }
}
