package io.thermocline.catalog.virtual;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.catalog.ObjectPath;

/**
 * Name of a table that exists only as a view of another one: {@code t$lake} is the plain lake table
 * behind {@code t}, {@code t$snapshots}, {@code t$files} … are the lake's own metadata tables of
 * it; a few names belong to the hot tier, see {@link HotMetadataTable}. All of them are read-only.
 *
 * @param base the real table
 * @param lakePath the name that the lake knows the virtual table by
 */
public record VirtualTableName(ObjectPath base, ObjectPath lakePath) {

    private static final String SEPARATOR = "$";
    private static final String LAKE = "lake";

    /** Table, branch, metadata table: the most parts that a lake's name has. */
    private static final int MAX_LAKE_PARTS = 3;

    /** Whether a name is that of a virtual table, be there such a table or not. */
    public static boolean isVirtual(ObjectPath path) {
        return path.getObjectName().contains(SEPARATOR);
    }

    /** Parses the name of a virtual table; empty if no table can have it. */
    public static Optional<VirtualTableName> parse(ObjectPath path) {
        List<String> parts = List.of(path.getObjectName().split("\\" + SEPARATOR, -1));
        if (parts.size() < 2 || parts.stream().anyMatch(String::isBlank)) {
            return Optional.empty();
        }
        String base = parts.get(0);
        List<String> ofLake = parts;
        if (parts.get(1).equals(LAKE)) {
            ofLake = new ArrayList<>(parts);
            ofLake.remove(1);
        }
        if (ofLake.size() > MAX_LAKE_PARTS) {
            return Optional.empty();
        }
        return Optional.of(
                new VirtualTableName(
                        new ObjectPath(path.getDatabaseName(), base),
                        new ObjectPath(path.getDatabaseName(), String.join(SEPARATOR, ofLake))));
    }

    /** Message that refuses a change of a virtual table. */
    public static String readOnly(ObjectPath path, String change) {
        return "cannot %s %s: a name with '%s' stands for a read-only view of another table.%s"
                .formatted(
                        change,
                        path.getFullName(),
                        SEPARATOR,
                        parse(path)
                                .map(name -> " Use " + name.base().getFullName() + " instead.")
                                .orElse(""));
    }
}
