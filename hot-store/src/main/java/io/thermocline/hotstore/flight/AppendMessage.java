package io.thermocline.hotstore.flight;

import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.WriterEpoch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Application metadata on append and lookup streams, little-endian. */
final class AppendMessage {

    private AppendMessage() {}

    /**
     * i64 request id, i32 bucket, i64 i64 writer id (high, low), i64 epoch, i64 sequence.
     *
     * @param requestId chosen by the client, given back in the answer
     */
    record Request(long requestId, int bucket, WriterEpoch writer, long sequence) {

        byte[] toBytes() {
            return ByteBuffer.allocate(5 * Long.BYTES + Integer.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(requestId)
                    .putInt(bucket)
                    .putLong(writer.writerId().getMostSignificantBits())
                    .putLong(writer.writerId().getLeastSignificantBits())
                    .putLong(writer.epoch())
                    .putLong(sequence)
                    .array();
        }

        static Request read(byte[] bytes) {
            WireExchange.checkLength(bytes, 5 * Long.BYTES + Integer.BYTES);
            ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            return new Request(
                    in.getLong(),
                    in.getInt(),
                    new WriterEpoch(new UUID(in.getLong(), in.getLong()), in.getLong()),
                    in.getLong());
        }
    }

    /**
     * i64 request id, i32 error code or 0, then i64 base offset, i64 end offset, i64 commit
     * timestamp; or the error's message in UTF-8.
     */
    record Answer(long requestId, @Nullable AppendResult result, int errorCode, String message) {

        static Answer success(long requestId, AppendResult result) {
            return new Answer(requestId, result, 0, "");
        }

        static Answer failure(long requestId, int errorCode, String message) {
            return new Answer(requestId, null, errorCode, message);
        }

        byte[] toBytes() {
            byte[] text = message.getBytes(StandardCharsets.UTF_8);
            int tail = result == null ? text.length : 3 * Long.BYTES;
            ByteBuffer out =
                    ByteBuffer.allocate(Long.BYTES + Integer.BYTES + tail)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putLong(requestId)
                            .putInt(errorCode);
            if (result == null) {
                out.put(text);
            } else {
                out.putLong(result.baseOffset())
                        .putLong(result.endOffset())
                        .putLong(result.commitTimestamp());
            }
            return out.array();
        }

        static Answer read(byte[] bytes) {
            ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            long requestId = in.getLong();
            int errorCode = in.getInt();
            if (errorCode == 0) {
                return success(
                        requestId, new AppendResult(in.getLong(), in.getLong(), in.getLong()));
            }
            return failure(requestId, errorCode, StandardCharsets.UTF_8.decode(in).toString());
        }
    }
}
