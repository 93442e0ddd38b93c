package dev.perhaps.cli.input;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.membership.BloomFilter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Archives, other encodings and Perhaps files given as text are refused with the command that makes text of them. */
class NotTextTest {
    private static final Input.Meter SILENT = new Input.Meter() {
        @Override
        public void read(long bytes) {}

        @Override
        public void idle() {}
    };

    @TempDir
    Path folder;

    private List<String> lines(byte[] bytes) throws IOException {
        Path file = Files.write(folder.resolve("it"), bytes);
        List<String> lines = new ArrayList<>();
        try (Input.Open open = Input.all(List.of(file.toString())).get(0).open(SILENT)) {
            Lines.read("it", open.stream(), (line, from, to) -> lines.add(new String(line, from, to - from, UTF_8)));
        }
        return lines;
    }

    private void refused(byte[] bytes, String what, String remedy) {
        assertThatThrownBy(() -> lines(bytes))
                .isInstanceOf(BadInput.class)
                .hasMessage(folder.resolve("it") + ": it is " + what + ", which is not read as it is: use '" + remedy
                        + " " + folder.resolve("it") + " | perhaps …'");
    }

    /** Made by the tools themselves, where they are installed. */
    @ParameterizedTest
    @CsvSource({
        "xz -c, compressed with xz, xzcat",
        "bzip2 -c, compressed with bzip2, bzcat",
        "lz4 -c, compressed with lz4, lz4cat",
        "tar -cf - -C / etc/hostname, a tar archive, tar -xOf",
    })
    void refusesWhatAnArchiverWrote(String command, String what, String remedy) throws Exception {
        List<String> words = new ArrayList<>(Arrays.asList(command.split(" ")));
        Process process;
        try {
            // From a file: tar reads nothing, and may have ended before a pipe to it is written.
            Path text = Files.writeString(folder.resolve("text"), "Lisbon\n");
            process = new ProcessBuilder(words).redirectInput(text.toFile()).start();
        } catch (IOException e) {
            Assumptions.abort(words.get(0) + " is not installed here");
            return;
        }
        byte[] archive = process.getInputStream().readAllBytes();
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        refused(archive, what, remedy);
    }

    @Test
    void refusesArchivesByTheirFirstBytes() throws IOException {
        refused(bytes("\u00FD7zXZ\0\0\u0004"), "compressed with xz", "xzcat");
        refused(bytes("BZh91AY&SYabc"), "compressed with bzip2", "bzcat");
        refused(bytes("7z\u00BC\u00AF'\u001C\0\4"), "a 7z archive", "7z x -so");
        ByteArrayOutputStream zip = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(zip)) {
            out.putNextEntry(new ZipEntry("a.txt"));
            out.write("Lisbon\n".getBytes(UTF_8));
        }
        refused(zip.toByteArray(), "a ZIP archive", "unzip -p");
    }

    @Test
    void refusesATarArchiveInsideGzip() throws IOException {
        byte[] tar = new byte[1024];
        System.arraycopy(bytes("ustar\00000"), 0, tar, 257, 8);
        ByteArrayOutputStream gzip = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(gzip)) {
            out.write(tar);
        }
        refused(gzip.toByteArray(), "a tar archive", "tar -xOf");
    }

    @Test
    void refusesUtf16WithAMarkAndWithout() {
        String text = "Lisbon\nOslo\n";
        refused(text.getBytes(UTF_16), "UTF-16 text", "iconv -f UTF-16 -t UTF-8");
        refused(("\uFEFF" + text).getBytes(UTF_16LE), "UTF-16 text", "iconv -f UTF-16 -t UTF-8");
        refused(text.getBytes(UTF_16LE), "UTF-16LE text", "iconv -f UTF-16LE -t UTF-8");
        refused(text.getBytes(UTF_16BE), "UTF-16BE text", "iconv -f UTF-16BE -t UTF-8");
        refused("a\n".getBytes(UTF_16LE), "UTF-16LE text", "iconv -f UTF-16LE -t UTF-8");
    }

    @Test
    void refusesAPerhapsFile() throws IOException {
        Path filter = folder.resolve("filter");
        BloomFilter.expecting(10).build().save(filter);
        assertThatThrownBy(() -> lines(Files.readAllBytes(filter)))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining("this is a Perhaps file, not text");
    }

    @Test
    void takesTextThatLooksALittleLikeThat() throws IOException {
        for (String text :
                List.of("", "a", "BZh9 is a word", "PK", "7z", "a\0b", "ab\0cd\0", "\0\0\0\0", "ustar", "P")) {
            assertThat(String.join("\n", lines(text.getBytes(UTF_8)))).isEqualTo(text);
        }
        assertThat(lines("Zürich\n".getBytes(ISO_8859_1))).hasSize(1);
    }

    @Test
    void aByteOrderMarkOfUtf8IsNoPartOfTheFirstLine() throws IOException {
        assertThat(lines("\uFEFFLisbon\nOslo\n".getBytes(UTF_8))).containsExactly("Lisbon", "Oslo");
        List<String> lines = new ArrayList<>();
        LineBlocks.read(
                Input.all(List.of(folder.resolve("it").toString())),
                SILENT,
                List.of((bytes, from, to) -> lines.add(new String(bytes, from, to - from, UTF_8))));
        assertThat(lines).containsExactly("Lisbon", "Oslo");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }
}
