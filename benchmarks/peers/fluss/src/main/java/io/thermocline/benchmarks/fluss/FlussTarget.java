package io.thermocline.benchmarks.fluss;

import io.thermocline.benchmarks.driver.Driver;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import io.thermocline.benchmarks.driver.Target;
import io.thermocline.benchmarks.driver.TargetTable;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.ConnectionFactory;
import org.apache.fluss.client.admin.Admin;
import org.apache.fluss.config.Configuration;
import org.apache.fluss.metadata.DatabaseDescriptor;
import org.apache.fluss.metadata.Schema;
import org.apache.fluss.metadata.TableDescriptor;
import org.apache.fluss.metadata.TablePath;
import org.apache.fluss.types.DataType;
import org.apache.fluss.types.DataTypes;

/** Fluss with a stock client, against servers that the runner has started. */
public final class FlussTarget implements Target {

    private static final String DATABASE = "bench";
    private static final String CLIENT_OPTION = "client.";

    private final Connection connection;
    private final Admin admin;

    private FlussTarget(String bootstrapServers) throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("bootstrap.servers", bootstrapServers);
        // -Dclient.<option>=… tries a client that is not stock.
        System.getProperties()
                .forEach(
                        (key, value) -> {
                            if (key.toString().startsWith(CLIENT_OPTION)) {
                                configuration.setString(key.toString(), value.toString());
                            }
                        });
        connection = ConnectionFactory.createConnection(configuration);
        admin = connection.getAdmin();
        admin.createDatabase(DATABASE, DatabaseDescriptor.EMPTY, true).get();
    }

    /** Argument: {@code host:port} of the coordinator. */
    public static void main(String[] arguments) {
        Driver.run(() -> new FlussTarget(arguments[0]));
    }

    private static TablePath path(String table) {
        return TablePath.of(DATABASE, table);
    }

    @Override
    public void create(String table, Shape shape, TableKey key, boolean tiered) throws Exception {
        Schema.Builder schema = Schema.newBuilder();
        for (int column = 0; column < shape.columnCount(); column++) {
            DataType type =
                    switch (shape.kind(column)) {
                        case INT -> DataTypes.INT();
                        case BIGINT -> DataTypes.BIGINT();
                        case DOUBLE -> DataTypes.DOUBLE();
                        case STRING -> DataTypes.STRING();
                    };
            schema.column(
                    shape.name(column), key.columns().contains(column) ? type.copy(false) : type);
        }
        TableDescriptor.Builder definition = TableDescriptor.builder();
        if (key.exists()) {
            schema.primaryKey(key.columnNames(shape));
            definition.distributedBy(BUCKETS, key.bucketColumnNames(shape));
        } else {
            definition.distributedBy(BUCKETS);
        }
        admin.createTable(path(table), definition.schema(schema.build()).build(), false).get();
    }

    @Override
    public void drop(String table) throws Exception {
        admin.dropTable(path(table), false).get();
    }

    @Override
    public TargetTable open(String table, Shape shape, TableKey key) throws Exception {
        return new FlussTable(connection, path(table), shape, key);
    }

    @Override
    public void close() throws Exception {
        connection.close();
    }
}
