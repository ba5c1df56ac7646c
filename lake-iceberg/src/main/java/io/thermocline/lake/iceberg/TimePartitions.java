package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdatePartitionSpec;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.UnboundTerm;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.transforms.Transforms;
import org.apache.iceberg.types.Types;

/**
 * Partitions by the years, months, days or hours of a column: {@code days(ts), years(d)}. Flink's
 * PARTITIONED BY takes columns only, so that a table option says it; the partition spec is all that
 * is kept of it.
 */
final class TimePartitions {

    /** Key of the option. */
    static final String OPTION = "partition-transforms";

    private static final Pattern FIELD = Pattern.compile("\\s*(\\w+)\\(([^()]+)\\)\\s*");

    private enum Unit {
        YEAR(Transforms.year()),
        MONTH(Transforms.month()),
        DAY(Transforms.day()),
        HOUR(Transforms.hour());

        private final Transform<Object, Integer> transform;

        Unit(Transform<Object, Integer> transform) {
            this.transform = transform;
        }

        /** As a partition spec has it. */
        private String singular() {
            return name().toLowerCase(Locale.ROOT);
        }

        private String plural() {
            return singular() + "s";
        }
    }

    private record Field(Unit unit, String column) {

        private UnboundTerm<Object> term() {
            return switch (unit) {
                case YEAR -> Expressions.year(column);
                case MONTH -> Expressions.month(column);
                case DAY -> Expressions.day(column);
                case HOUR -> Expressions.hour(column);
            };
        }

        /** A name that no column has. */
        private String name(Schema schema) {
            String name = column + "_" + unit.singular();
            while (schema.findField(name) != null) {
                name += "_";
            }
            return name;
        }
    }

    private final List<Field> fields;

    private TimePartitions(List<Field> fields) {
        this.fields = fields;
    }

    /**
     * Reads the option.
     *
     * @param value null if it is not set
     * @param keyed whether the table has a primary key
     * @throws LakeException {@code INVALID_OPTION}
     */
    static TimePartitions parse(ObjectPath path, String value, Schema schema, boolean keyed) {
        List<Field> fields = new ArrayList<>();
        if (value == null) {
            return new TimePartitions(fields);
        }
        if (keyed) {
            throw refused(
                    path,
                    value,
                    "the table has a primary key, and the rows of a key must stay in one partition;"
                            + " use PARTITIONED BY with columns of the key");
        }
        for (String text : value.split(",", -1)) {
            fields.add(field(path, value, text, schema));
        }
        return new TimePartitions(fields);
    }

    private static Field field(ObjectPath path, String value, String text, Schema schema) {
        Matcher matcher = FIELD.matcher(text);
        Optional<Unit> unit =
                matcher.matches()
                        ? Arrays.stream(Unit.values())
                                .filter(u -> isNamed(u, matcher.group(1)))
                                .findFirst()
                        : Optional.empty();
        if (unit.isEmpty()) {
            throw refused(
                    path,
                    value,
                    "'"
                            + text.strip()
                            + "' is none of years(column), months(column), days(column) and"
                            + " hours(column)");
        }
        String name = matcher.group(2).strip();
        Types.NestedField column =
                schema.columns().stream()
                        .filter(c -> c.name().equals(name))
                        .findFirst()
                        .orElseThrow(
                                () -> refused(path, value, "there is no column '" + name + "'"));
        if (!unit.get().transform.canTransform(column.type())) {
            throw refused(
                    path,
                    value,
                    "column '"
                            + name
                            + "' is kept as "
                            + column.type()
                            + ", which has no "
                            + unit.get().plural());
        }
        return new Field(unit.get(), name);
    }

    private static boolean isNamed(Unit unit, String name) {
        return name.equalsIgnoreCase(unit.singular()) || name.equalsIgnoreCase(unit.plural());
    }

    private static LakeException refused(ObjectPath path, String value, String why) {
        return new LakeException(
                Reason.INVALID_OPTION,
                "option '"
                        + OPTION
                        + "'='"
                        + value
                        + "' cannot be used on table "
                        + path.getFullName()
                        + ": "
                        + why
                        + ".");
    }

    /** The option that makes the time partitions of a table; empty if it has none. */
    static Optional<String> optionOf(Table table) {
        String value =
                table.spec().fields().stream()
                        .flatMap(field -> text(table.schema(), field).stream())
                        .collect(Collectors.joining(", "));
        return value.isEmpty() ? Optional.empty() : Optional.of(value);
    }

    private static Optional<String> text(Schema schema, PartitionField field) {
        String column = schema.findColumnName(field.sourceId());
        return Arrays.stream(Unit.values())
                .filter(unit -> column != null) // it may be gone
                .filter(unit -> field.transform().toString().equals(unit.singular()))
                .map(unit -> unit.plural() + "(" + column + ")")
                .findFirst();
    }

    /** Adds the fields to the spec of a table to be made. */
    void addTo(PartitionSpec.Builder spec, Schema schema) {
        for (Field field : fields) {
            String name = field.name(schema);
            switch (field.unit()) {
                case YEAR -> spec.year(field.column(), name);
                case MONTH -> spec.month(field.column(), name);
                case DAY -> spec.day(field.column(), name);
                case HOUR -> spec.hour(field.column(), name);
            }
        }
    }

    /** Adds the fields to the spec of an empty table. */
    void addTo(UpdatePartitionSpec spec, Schema schema) {
        fields.forEach(field -> spec.addField(field.name(schema), field.term()));
    }
}
