package io.thermocline.hotstore.local.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedFileTest {

    @TempDir private Path directory;

    @Test
    void aFileInUseIsNotDeleted() throws IOException {
        Path path = Files.write(directory.resolve("f"), new byte[] {1, 2, 3});
        SharedFile file = SharedFile.open(path);
        assertThat(file.claim()).isTrue();

        assertThat(file.deleteIfUnused()).isFalse();
        ByteBuffer bytes = ByteBuffer.allocate(2);
        file.read(bytes, 1);
        assertThat(bytes.array()).containsExactly(2, 3);
        assertThat(path).exists();

        file.release();
        assertThat(file.deleteIfUnused()).isTrue();
        assertThat(path).doesNotExist();
        assertThat(file.claim()).isFalse();
    }
}
