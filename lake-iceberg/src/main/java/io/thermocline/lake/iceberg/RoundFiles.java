package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeCommittable;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.util.SerializationUtil;

/**
 * Files of a tiering round that wait for their commit.
 *
 * @param data rows
 * @param deletes deletes by key
 */
record RoundFiles(ArrayList<DataFile> data, ArrayList<DeleteFile> deletes) implements Serializable {

    private static final int VERSION = 1;

    RoundFiles() {
        this(new ArrayList<>(), new ArrayList<>());
    }

    List<ContentFile<?>> all() {
        List<ContentFile<?>> all = new ArrayList<>(data);
        all.addAll(deletes);
        return all;
    }

    boolean isEmpty() {
        return data.isEmpty() && deletes.isEmpty();
    }

    LakeCommittable toCommittable() {
        return new LakeCommittable(
                VERSION,
                SerializationUtil.serializeToBytes(this),
                data.size() + deletes.size(),
                all().stream().mapToLong(ContentFile::fileSizeInBytes).sum());
    }

    static RoundFiles of(List<LakeCommittable> committables) {
        RoundFiles files = new RoundFiles();
        for (LakeCommittable committable : committables) {
            if (committable.version() != VERSION) {
                throw new IllegalArgumentException(
                        "the committable has version "
                                + committable.version()
                                + ", this program reads version "
                                + VERSION);
            }
            RoundFiles some = SerializationUtil.deserializeFromBytes(committable.payload());
            files.data().addAll(some.data());
            files.deletes().addAll(some.deletes());
        }
        return files;
    }
}
