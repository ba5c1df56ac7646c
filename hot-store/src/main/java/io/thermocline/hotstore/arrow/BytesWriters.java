package io.thermocline.hotstore.arrow;

import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryStringData;

/** Writers of strings and byte strings. */
final class BytesWriters {

    private BytesWriters() {}

    private abstract static class BytesWriter extends ColumnWriter {

        private final BaseVariableWidthVector vector;
        private long bytesWritten;

        BytesWriter(FieldVector vector) {
            this.vector = (BaseVariableWidthVector) vector;
        }

        @Override
        final void writeNull(int index) {
            rewindTo(index);
            vector.setNull(index);
        }

        final void writeBytes(int index, byte[] bytes) {
            writeBytes(index, bytes, 0, bytes.length);
        }

        final void writeBytes(int index, byte[] bytes, int start, int length) {
            rewindTo(index);
            vector.setSafe(index, bytes, start, length);
            bytesWritten += length;
        }

        // A failed row may have written this index already.
        private void rewindTo(int index) {
            if (vector.getLastSet() >= index) {
                vector.setLastSet(index - 1);
            }
        }

        @Override
        final long fixedBytes() {
            return Integer.BYTES;
        }

        @Override
        final long variableBytes() {
            return bytesWritten;
        }
    }

    /** CHAR, VARCHAR, STRING. */
    static final class Strings extends BytesWriter {

        Strings(FieldVector vector) {
            super(vector);
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            StringData value = source.getString(pos);
            if (value instanceof BinaryStringData binary) {
                binary.ensureMaterialized();
                MemorySegment[] segments = binary.getSegments();
                if (segments.length == 1 && !segments[0].isOffHeap()) {
                    writeBytes(
                            index,
                            segments[0].getArray(),
                            binary.getOffset(),
                            binary.getSizeInBytes());
                    return;
                }
            }
            writeBytes(index, value.toBytes());
        }
    }

    /** BINARY, VARBINARY, BYTES. */
    static final class Binaries extends BytesWriter {

        Binaries(FieldVector vector) {
            super(vector);
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            writeBytes(index, source.getBinary(pos));
        }
    }
}
