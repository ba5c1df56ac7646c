package io.thermocline.catalog.procedure;

import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.lake.LakeCatalog;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.ProcedureNotExistException;
import org.apache.flink.table.procedures.Procedure;

/** Procedures of the database {@code sys}: our own, and those of the lake that cannot do harm. */
public final class SystemProcedures {

    /** The database of procedures and of the lake's own tables about itself. */
    public static final String DATABASE = "sys";

    private final LakeCatalog lake;
    private final HotStoreProvider store;

    public SystemProcedures(LakeCatalog lake, HotStoreProvider store) {
        this.lake = lake;
        this.store = store;
    }

    /** Names of the procedures of an existing database, sorted. */
    public List<String> list(String database) throws DatabaseNotExistException {
        Set<String> names = new TreeSet<>();
        if (database.equals(DATABASE)) {
            names.add(TierProcedure.NAME);
            names.add(VerifyProcedure.NAME);
            lake.flinkCatalog().listProcedures(database).stream()
                    .filter(lake.harmlessProcedures()::contains)
                    .forEach(names::add);
        }
        return List.copyOf(names);
    }

    /**
     * The procedure of that name; empty if there is none. Those of the lake that are not harmless
     * could take from under a hot tier what it relies on, and a procedure does not say beforehand
     * which table it is going to change.
     */
    public Optional<Procedure> find(ObjectPath path) {
        String name = path.getObjectName();
        if (!path.getDatabaseName().equals(DATABASE)) {
            return Optional.empty();
        }
        if (name.equals(TierProcedure.NAME)) {
            return Optional.of(new TierProcedure(lake, store));
        }
        if (name.equals(VerifyProcedure.NAME)) {
            return Optional.of(new VerifyProcedure(lake, store));
        }
        Optional<Procedure> ofLake = findInLake(path);
        if (ofLake.isPresent() && !lake.harmlessProcedures().contains(name)) {
            throw new UnsupportedOperationException(
                    ("procedure sys.%s of the lake is not available here: it could change tables in ways"
                                    + " that their hot tier would not know. Call it from a catalog of the"
                                    + " lake's own type, and never on a table with a hot tier.")
                            .formatted(name));
        }
        return ofLake;
    }

    private Optional<Procedure> findInLake(ObjectPath path) {
        try {
            return Optional.of(lake.flinkCatalog().getProcedure(path));
        } catch (ProcedureNotExistException e) {
            return Optional.empty();
        }
    }
}
