package dev.perhaps.chord.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RevokedHoldersTest {
    @TempDir
    Path folder;

    @Test
    void refusesAListThatIsNotText() throws IOException {
        Path list = folder.resolve("revoked");
        for (byte[] bytes : List.of(
                "alice\n".getBytes(StandardCharsets.UTF_16LE),
                "alice\n".getBytes(StandardCharsets.UTF_16),
                "\u00FD7zXZ\0\0".getBytes(StandardCharsets.ISO_8859_1))) {
            Files.write(list, bytes);
            assertThatThrownBy(() -> RevokedHolders.read(list, line -> {})).isInstanceOf(IOException.class);
        }
    }

    @Test
    void keepsThoseRevokedThatAListNamedBeforeItWasSpoilt() throws IOException {
        Path list = Files.writeString(folder.resolve("revoked"), "# left in May\nalice\n");
        List<String> log = new ArrayList<>();
        RevokedHolders revoked = RevokedHolders.read(list, log::add);
        Files.write(list, "carol and bob\n".getBytes(StandardCharsets.UTF_16LE));
        assertThat(revoked.contains("alice")).isTrue();
        assertThat(log).singleElement().asString().contains("stay revoked");
        assertThat(revoked.contains("bob")).isFalse();
    }
}
