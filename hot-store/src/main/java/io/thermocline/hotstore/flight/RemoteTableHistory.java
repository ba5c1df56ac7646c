package io.thermocline.hotstore.flight;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ReadFigures;
import io.thermocline.hotstore.ReadPeriod;
import io.thermocline.hotstore.TableHistory;
import io.thermocline.hotstore.TieringReport;
import java.util.List;
import java.util.function.Supplier;

/**
 * A table's history behind Flight.
 *
 * @param connection to the store
 * @param command gives a new command that names the table
 */
record RemoteTableHistory(FlightConnection connection, Supplier<ObjectNode> command)
        implements TableHistory {

    @Override
    public void reportTiering(TieringReport report) {
        ObjectNode body = command.get();
        body.set("report", WireJson.tree(report));
        connection.action(FlightProtocol.REPORT_TIERING, body);
    }

    @Override
    public List<TieringReport> tieringRounds() {
        return List.of(
                WireJson.value(
                        connection.action(FlightProtocol.TIERING_ROUNDS, command.get()),
                        TieringReport[].class));
    }

    @Override
    public void reportReads(ReadFigures figures) {
        ObjectNode body = command.get();
        body.set("figures", WireJson.tree(figures));
        connection.action(FlightProtocol.REPORT_READS, body);
    }

    @Override
    public List<ReadPeriod> readPeriods() {
        return List.of(
                WireJson.value(
                        connection.action(FlightProtocol.READ_PERIODS, command.get()),
                        ReadPeriod[].class));
    }
}
