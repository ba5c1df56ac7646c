package io.thermocline.lake.iceberg;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.ScanTaskParser;

/** Splits as bytes: version, number of files, and each file in Iceberg's JSON form. */
final class SplitCodec {

    private static final int VERSION = 1;

    private SplitCodec() {}

    static byte[] encode(List<FileScanTask> tasks) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(VERSION);
            out.writeInt(tasks.size());
            for (FileScanTask task : tasks) {
                byte[] json = ScanTaskParser.toJson(task).getBytes(StandardCharsets.UTF_8);
                out.writeInt(json.length);
                out.write(json);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static List<FileScanTask> decode(byte[] payload) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(payload))) {
            int version = in.readInt();
            if (version != VERSION) {
                throw new IOException(
                        "the split has version "
                                + version
                                + ", this program reads version "
                                + VERSION);
            }
            int count = in.readInt();
            List<FileScanTask> tasks = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                byte[] json = in.readNBytes(in.readInt());
                tasks.add(ScanTaskParser.fromJson(new String(json, StandardCharsets.UTF_8), true));
            }
            return tasks;
        }
    }
}
