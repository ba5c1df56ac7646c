package io.thermocline.hotstore.arrow;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.variant.BinaryVariant;
import org.apache.flink.types.variant.Variant;

/** Writer of VARIANT: the two byte strings of its encoding, as they are. */
final class VariantWriter extends ColumnWriter {

    private static final byte[] NOTHING = {};

    private final StructVector vector;
    private final BytesWriters.Binaries metadata;
    private final BytesWriters.Binaries value;
    private final String path;

    VariantWriter(StructVector vector, String path) {
        this.vector = vector;
        this.metadata = new BytesWriters.Binaries(vector.getChildrenFromFields().get(0));
        this.value = new BytesWriters.Binaries(vector.getChildrenFromFields().get(1));
        this.path = path;
    }

    @Override
    void writeNull(int index) {
        NestedWriters.setNull(vector, index);
        // The children are not nullable: a slot under a null struct holds no bytes.
        metadata.writeBytes(index, NOTHING);
        value.writeBytes(index, NOTHING);
    }

    @Override
    void writeValue(RowData source, int pos, int index) {
        Variant variant = source.getVariant(pos);
        if (!(variant instanceof BinaryVariant binary)) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "column '"
                            + path
                            + "' got a VARIANT of "
                            + variant.getClass()
                            + ", whose encoding is not known. Make values with PARSE_JSON or"
                            + " Variant.newBuilder().");
        }
        NestedWriters.setDefined(vector, index);
        metadata.writeBytes(index, binary.getMetadata());
        value.writeBytes(index, binary.getValue());
    }

    @Override
    long fixedBytes() {
        return metadata.fixedBytes() + value.fixedBytes();
    }

    @Override
    long variableBytes() {
        return metadata.variableBytes() + value.variableBytes();
    }
}
