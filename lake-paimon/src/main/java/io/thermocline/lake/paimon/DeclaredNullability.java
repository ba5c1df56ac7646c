package io.thermocline.lake.paimon;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.ResolvedCatalogBaseTable;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.flink.FlinkCatalog;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.RowType;

/**
 * Paimon's catalog for Flink, but a table gets the nullability of its columns as declared: Paimon's
 * own conversion of types makes every VARIANT nullable.
 */
final class DeclaredNullability extends FlinkCatalog {

    DeclaredNullability(
            Catalog catalog,
            String name,
            String defaultDatabase,
            ClassLoader classLoader,
            Options options) {
        super(catalog, name, defaultDatabase, classLoader, options);
    }

    @Override
    protected Schema buildPaimonSchema(
            Identifier identifier, CatalogBaseTable table, Map<String, String> options) {
        Schema schema = super.buildPaimonSchema(identifier, table, options);
        LogicalType declared =
                ((ResolvedCatalogBaseTable<?>) table)
                        .getResolvedSchema()
                        .toPhysicalRowDataType()
                        .getLogicalType();
        return schema.copy(withNullability(new RowType(schema.fields()), declared.getChildren()));
    }

    private static RowType withNullability(RowType type, List<LogicalType> declared) {
        List<DataField> fields = new ArrayList<>();
        for (int i = 0; i < declared.size(); i++) {
            DataField field = type.getFields().get(i);
            fields.add(field.newType(withNullability(field.type(), declared.get(i))));
        }
        return new RowType(type.isNullable(), fields);
    }

    private static DataType withNullability(DataType type, LogicalType declared) {
        List<LogicalType> children = declared.getChildren();
        DataType result = type;
        if (type instanceof RowType row) {
            result = withNullability(row, children);
        } else if (type instanceof ArrayType array) {
            result = new ArrayType(withNullability(array.getElementType(), children.get(0)));
        } else if (type instanceof MapType map) {
            result =
                    new MapType(
                            withNullability(map.getKeyType(), children.get(0)),
                            withNullability(map.getValueType(), children.get(1)));
        }
        return result.copy(declared.isNullable());
    }
}
