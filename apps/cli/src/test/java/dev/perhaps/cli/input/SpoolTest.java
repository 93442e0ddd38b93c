package dev.perhaps.cli.input;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolTest {
    /** Nobody can open what has no name, and nothing is left however the program ends. */
    @Test
    void hasNoNameWhileItIsWritten(@TempDir Path folder) throws IOException {
        try (FileChannel spool = Spool.unnamed(folder)) {
            spool.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            assertThat(folder).isEmptyDirectory();
            assertThat(spool.size()).isEqualTo(3);
        }
    }

    @Test
    void isReadAsOftenAsAsked() throws IOException {
        byte[] bytes = new byte[300_000];
        bytes[299_999] = 7;
        try (Spool spool = Spool.of("standard input", new ByteArrayInputStream(bytes))) {
            assertThat(spool.stream().readAllBytes()).isEqualTo(bytes);
            assertThat(spool.stream().readAllBytes()).isEqualTo(bytes);
        }
    }
}
