package io.thermocline.lake.iceberg;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A PostgreSQL server for the tests of a class; each finds an empty database. */
final class PostgresServer implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {

    private EmbeddedPostgres server;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        server = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
    }

    /** Options of a JDBC catalog that keeps its tables in the server. */
    Map<String, String> catalogOptions() {
        return Map.of(
                "catalog-type",
                "jdbc",
                "uri",
                server.getJdbcUrl("postgres", "postgres"),
                "jdbc.user",
                "postgres",
                "jdbc.schema-version",
                "V1");
    }

    @Override
    public void afterEach(ExtensionContext context) throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        server.close();
    }
}
