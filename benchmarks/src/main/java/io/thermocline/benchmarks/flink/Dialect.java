package io.thermocline.benchmarks.flink;

import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import io.thermocline.benchmarks.driver.Target;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.table.types.logical.RowType;

/** How Flink SQL speaks to a system. Tables keep every option that is not named here. */
public enum Dialect {
    /** Tables that the client has created. */
    THERMOCLINE {
        @Override
        List<String> catalog(String location) {
            return List.of(
                    "CREATE CATALOG c WITH ('type' = 'thermocline', 'warehouse' = '"
                            + location
                            + "')",
                    "USE CATALOG c");
        }
    },

    /** Tables that the client has created. */
    FLUSS {
        @Override
        List<String> catalog(String location) {
            return List.of(
                    "CREATE CATALOG c WITH ('type' = 'fluss', 'bootstrap.servers' = '"
                            + location
                            + "', 'default-database' = 'bench')",
                    "USE CATALOG c");
        }
    },

    /** A table is a topic that is there, with rows as JSON. */
    KAFKA {
        @Override
        List<String> catalog(String location) {
            return List.of();
        }

        @Override
        String create(String table, Shape shape, TableKey key, String location) {
            return "CREATE TABLE "
                    + table
                    + columns(shape, key)
                    + " WITH ('connector' = 'upsert-kafka', 'topic' = '"
                    + table
                    + "', 'properties.bootstrap.servers' = '"
                    + location
                    + "', 'key.format' = 'json', 'value.format' = 'json')";
        }
    },

    /** Fixed buckets, as many as the others have. */
    PAIMON {
        @Override
        List<String> catalog(String location) {
            return List.of(
                    "CREATE CATALOG c WITH ('type' = 'paimon', 'warehouse' = '" + location + "')",
                    "USE CATALOG c");
        }

        @Override
        String create(String table, Shape shape, TableKey key, String location) {
            return "CREATE TABLE "
                    + table
                    + columns(shape, key)
                    + " WITH ('bucket' = '"
                    + Target.BUCKETS
                    + "')";
        }
    },

    /** Format version 2, upserts by equality deletes. */
    ICEBERG {
        @Override
        List<String> catalog(String location) {
            return List.of(
                    "CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'hadoop',"
                            + " 'warehouse' = '"
                            + location
                            + "')",
                    "USE CATALOG c");
        }

        @Override
        String create(String table, Shape shape, TableKey key, String location) {
            return "CREATE TABLE "
                    + table
                    + columns(shape, key)
                    + " WITH ('format-version' = '2', 'write.upsert.enabled' = 'true')";
        }
    };

    /** Statements that every session begins with. */
    abstract List<String> catalog(String location);

    /** The statement that creates a table with a key. */
    String create(String table, Shape shape, TableKey key, String location) {
        throw new UnsupportedOperationException(this + " creates its tables through its client");
    }

    private static String columns(Shape shape, TableKey key) {
        String columns =
                BenchRows.rowType(shape, key).getFields().stream()
                        .map(Dialect::column)
                        .collect(Collectors.joining(", "));
        return " ("
                + columns
                + ", PRIMARY KEY ("
                + String.join(", ", key.columnNames(shape))
                + ") NOT ENFORCED)";
    }

    private static String column(RowType.RowField field) {
        return field.getName() + " " + field.getType().asSerializableString();
    }
}
