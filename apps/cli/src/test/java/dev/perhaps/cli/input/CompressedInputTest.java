package dev.perhaps.cli.input;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import dev.perhaps.cli.input.compressed.GzipMembers;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is compressed is read whole or refused: never as text, and never in part. */
class CompressedInputTest {
    private static final byte[] FIRST = "Lisbon\nOslo\n".getBytes(UTF_8);
    private static final byte[] SECOND = "Rome\nRiga\n".getBytes(UTF_8);
    private static final byte[] BOTH = joined(FIRST, SECOND);
    private static final byte[] SKIPPED = {0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};

    private static final Input.Meter UNWATCHED = new Input.Meter() {
        @Override
        public void read(long bytes) {}

        @Override
        public void idle() {}
    };

    @TempDir
    Path folder;

    @Test
    void readsZstdThatBeginsWithASkippableFrame() throws IOException {
        byte[] first = Zstd.compress(FIRST);
        byte[] second = Zstd.compress(SECOND);
        assertThat(read(joined(SKIPPED, first))).isEqualTo(FIRST);
        byte[] large = new byte[1 << 20];
        new Random(8).nextBytes(large);
        Arrays.fill(large, 1 << 18, 1 << 19, (byte) 1);
        assertThat(read(joined(SKIPPED, Zstd.compress(large), first))).isEqualTo(joined(large, FIRST));
        for (int variant = 0; variant < 16; variant++) {
            byte[] skipped = SKIPPED.clone();
            skipped[0] = (byte) (0x50 | variant);
            assertThat(read(joined(skipped, first, skipped, second, skipped))).isEqualTo(BOTH);
        }
        assertThat(read(SKIPPED)).isEmpty();
    }

    @Test
    void refusesZstdThatIsCutShortOrGoesOn() throws IOException {
        byte[] whole = joined(SKIPPED, Zstd.compress(FIRST), Zstd.compress(SECOND));
        List<Integer> ends = List.of(SKIPPED.length, whole.length - Zstd.compress(SECOND).length);
        for (int length = 4; length < whole.length; length++) {
            int frame = length < ends.get(0) ? 1 : length < ends.get(1) ? 2 : 3;
            if (!ends.contains(length)) {
                refused(Arrays.copyOf(whole, length), "cut short (zstd frame " + frame + ", byte " + length + ")");
            }
        }
        refused(joined(whole, "text\n".getBytes(UTF_8)), "Unknown frame descriptor (zstd frame 4, byte ");
        refused(joined(whole, new byte[] {0x28, (byte) 0xB5}), "it is cut short (zstd frame 4, byte ");
    }

    @Test
    void readsAllMembersOfGzip() throws IOException {
        assertThat(read(joined(gzip(FIRST), gzip(new byte[0]), gzip(SECOND)))).isEqualTo(BOTH);
        assertThat(read(joined(gzip(FIRST), gzip(SECOND), new byte[1_000]))).isEqualTo(BOTH);
        byte[] large = new byte[1 << 20];
        new Random(7).nextBytes(large);
        assertThat(read(joined(gzip(large), gzip(FIRST), gzip(large)))).isEqualTo(joined(large, FIRST, large));
    }

    /** The JDK's reader takes a member that has not arrived yet for the end. */
    @Test
    void waitsForTheNextMemberInAPipe() throws IOException {
        byte[] whole = joined(gzip(FIRST), gzip(SECOND));
        InputStream byByte = new ByteArrayInputStream(whole) {
            @Override
            public synchronized int read(byte[] into, int from, int length) {
                return super.read(into, from, Math.min(1, length));
            }

            @Override
            public synchronized int available() {
                return 0;
            }
        };
        assertThat(new GzipMembers(byByte, 64).readAllBytes()).isEqualTo(BOTH);
    }

    @Test
    void refusesADamagedSecondMemberOfGzip() throws IOException {
        byte[] first = gzip(FIRST);
        byte[] whole = joined(first, gzip(SECOND));
        String second = "(gzip member 2, byte ";
        for (int length = first.length + 1; length < whole.length; length++) {
            refused(Arrays.copyOf(whole, length), "it is cut short " + second);
        }
        // The time, the extra flags and the system (4 to 9) are free.
        for (int at :
                new int[] {0, 1, 2, 3, 10, 15, whole.length - first.length - 8, whole.length - first.length - 1}) {
            byte[] flipped = whole.clone();
            flipped[first.length + at] ^= (byte) 0xA0;
            refused(flipped, "(gzip member ");
        }
        byte[] garbage = joined(first, "Lima\n".getBytes(UTF_8));
        refused(garbage, "neither a member nor padding of zeros (gzip member 2, byte " + (first.length + 1) + ")");
        refused(joined(first, new byte[3], SECOND), "something other than zeros follows its end");
    }

    @Test
    void refusesADamagedFirstMemberOfGzip() throws IOException {
        byte[] whole = gzip(FIRST);
        for (int length = 2; length < whole.length; length++) {
            refused(Arrays.copyOf(whole, length), "it is cut short (gzip member 1, byte " + length + ")");
        }
    }

    @Test
    void readsHeadersOfGzipWithAllFields() throws IOException {
        byte[] plain = gzip(FIRST);
        byte[] fields = {0x1F, (byte) 0x8B, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3, 2, 0, 'x', 'y', 'n', 0, 'c', 0};
        CRC32 crc = new CRC32();
        crc.update(fields);
        byte[] sum = {(byte) crc.getValue(), (byte) (crc.getValue() >>> 8)};
        byte[] data = Arrays.copyOfRange(plain, 10, plain.length);
        assertThat(read(joined(fields, sum, data))).isEqualTo(FIRST);
        sum[1] ^= 1;
        refused(joined(fields, sum, data), "the checksum of the header does not match");
        fields[3] |= 0x20;
        refused(joined(fields, sum, data), "it has unknown flags");
    }

    @Test
    void readsWhatOnlyResemblesCompressedDataAsItIs() throws IOException {
        for (byte[] text : List.of(new byte[] {0x1F}, new byte[] {0x28, (byte) 0xB5}, new byte[] {0x50, 0x2A, 0x4D})) {
            assertThat(read(text)).isEqualTo(text);
        }
    }

    private byte[] read(byte[] bytes) throws IOException {
        Path file = Files.write(folder.resolve("input"), bytes);
        try (Input.Open open = Input.all(List.of(file.toString())).get(0).open(UNWATCHED)) {
            return open.stream().readAllBytes();
        }
    }

    private void refused(byte[] bytes, String message) {
        assertThatThrownBy(() -> read(bytes)).isInstanceOf(IOException.class).hasMessageContaining(message);
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
