package io.thermocline.hotstore.flight;

import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/** Schemas of a lookup stream of encoded keys. */
final class WireLookups {

    private static final ArrowType INT = new ArrowType.Int(32, true);

    private static final Schema REQUEST =
            new Schema(
                    List.of(
                            field(FlightProtocol.BUCKET, INT),
                            field(FlightProtocol.KEY, ArrowType.Binary.INSTANCE)));

    private static final Schema ANSWER =
            new Schema(
                    List.of(
                            field(FlightProtocol.KEY_INDEX, INT),
                            field(FlightProtocol.ROW, ArrowType.Binary.INSTANCE)));

    private WireLookups() {}

    static VectorSchemaRoot requestRoot(BufferAllocator allocator) {
        return VectorSchemaRoot.create(REQUEST, allocator);
    }

    static VectorSchemaRoot answerRoot(BufferAllocator allocator) {
        return VectorSchemaRoot.create(ANSWER, allocator);
    }

    private static Field field(String name, ArrowType type) {
        return new Field(name, FieldType.notNullable(type), null);
    }
}
