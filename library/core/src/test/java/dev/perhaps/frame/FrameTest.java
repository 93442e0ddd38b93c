package dev.perhaps.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.key.Key;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The header of docs/format.md: what is written, and what is refused. */
class FrameTest {
    private static final Key<String> KEY =
            Key.strings().seeded(0x0102030405060708L).on("name", name -> name);
    private static final long[] WORDS = {1, -1, 0x1122334455667788L};
    private static final int HEADER_BYTES = 128;
    private static final long CAP = 1 << 20;

    @TempDir
    Path folder;

    private byte[] bytes;

    @BeforeEach
    void write() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        frame().write(out, payload -> payload.longs(WORDS));
        bytes = out.toByteArray();
    }

    private static Frame frame() {
        return Frame.of(Kind.BLOOM, KEY, WORDS.length * 8L, 7, Double.doubleToRawLongBits(0.25));
    }

    /** What was in it was shown as if the program had said it. */
    @ParameterizedTest
    @ValueSource(strings = {"utf8 of \u001B[2J", "utf8 of x\nkind", "utf8 of \u009B31m", "  ", ""})
    void refusesANameThatIsNoLineOfText(String name) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(Kind.BLOOM, KEY, 0).write(out, payload -> {});
        byte[] forged = out.toByteArray();
        byte[] bytes = Arrays.copyOf(name.getBytes(StandardCharsets.UTF_8), 16);
        System.arraycopy(bytes, 0, forged, 48, bytes.length);
        forged[22] = (byte) name.getBytes(StandardCharsets.UTF_8).length;
        Corruption.withChecksums(forged);
        assertThatThrownBy(() -> FrameReader.open(new ByteArrayInputStream(forged), 1_000))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("the name of its key is not a line of text");
    }

    @Test
    void writesTheBytesThatTheFormatSays() {
        ByteBuffer expected = ByteBuffer.allocate(HEADER_BYTES + 24 + 4).order(ByteOrder.LITTLE_ENDIAN);
        expected.put(new byte[] {(byte) 0x89, 0x50, 0x65, 0x72, 0x68, 0x61, 0x70, 0x73});
        expected.putShort((short) 1).putShort((short) 1).putShort((short) 1).putShort((short) 0);
        expected.putInt(HEADER_BYTES).putShort((short) 2).putShort((short) 12);
        expected.putLong(0x0102030405060708L).putLong(24).putInt(2).putInt(0);
        expected.put("utf8 of name\0\0\0\0".getBytes(StandardCharsets.UTF_8));
        expected.putLong(7).putDouble(0.25);
        expected.putInt(HEADER_BYTES - 4, crc(expected.array(), 0, HEADER_BYTES - 4));
        expected.position(HEADER_BYTES).putLong(1).putLong(-1).putLong(0x1122334455667788L);
        expected.putInt(crc(expected.array(), HEADER_BYTES, HEADER_BYTES + 24));
        assertThat(bytes).isEqualTo(expected.array());
        assertThat(frame().fileBytes()).isEqualTo(bytes.length);
    }

    @Test
    void readsBackWhatWasWrittenAndNotAByteMore() throws IOException {
        ByteArrayInputStream in = new ByteArrayInputStream(Arrays.copyOf(bytes, bytes.length + 5));
        assertThat(read(in)).isEqualTo(WORDS);
        assertThat(in.available()).isEqualTo(5);

        Path file = Files.write(folder.resolve("file"), bytes);
        Frame frame = Frame.look(file);
        assertThat(frame.kind()).isEqualTo(Kind.BLOOM);
        assertThat(frame.version()).isEqualTo(1);
        assertThat(frame.keyName()).isEqualTo("utf8 of name");
        assertThat(frame.seed()).isEqualTo(KEY.seed());
        assertThat(frame.parameterCount()).isEqualTo(2);
        assertThat(frame.parameter(0)).isEqualTo(7);
        assertThat(frame.parameterAsDouble(1)).isEqualTo(0.25);
        assertThatThrownBy(() -> frame.parameter(2))
                .isInstanceOf(FormatException.class)
                .hasMessage("a bloom file has at least 3 parameters, this one has 2");
    }

    @Test
    void refusesWhatANewerPerhapsWrote() {
        refused(
                patched(8, (short) 2),
                "the file has frame version 2, this program reads version 1: use a newer Perhaps");
        refused(patched(10, (short) 999), "the file holds kind 999, which this program does not know");
        refused(patched(12, (short) 2), "the file holds version 2 of a bloom, this program reads up to version 1");
        refused(patched(12, (short) 0), "the file holds version 0 of a bloom");
        refused(patched(14, (short) 0x8001), "the file has flags 0x8001 that must be understood");
        refused(
                patched(20, (short) 1),
                "the file has hash version 1, this program has version 2: build the file again");
        refused(patched(20, (short) 3), "the file has hash version 3, this program has version 2: use a newer Perhaps");
    }

    @Test
    void writesTheSaltOfAKindThatHasOne() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        frame().salted(-2).write(out, payload -> payload.longs(WORDS));
        ByteBuffer salted = ByteBuffer.wrap(out.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(salted.getInt(44)).isEqualTo(-2);
        assertThat(Frame.look(Files.write(folder.resolve("salted"), out.toByteArray()))
                        .salt())
                .isEqualTo(-2);

        salted.putInt(44, 0);
        salted.putInt(HEADER_BYTES - 4, crc(salted.array(), 0, HEADER_BYTES - 4));
        assertThat(salted.array()).isEqualTo(bytes);
    }

    @Test
    void refusesTheSaltOfAKindThatHasNone() {
        assertThatThrownBy(() -> Frame.of(Kind.COUNT, KEY, 8).salted(3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a count has no salt, got 3");
        ByteBuffer forged = ByteBuffer.wrap(bytes.clone()).order(ByteOrder.LITTLE_ENDIAN);
        forged.putShort(10, (short) Kind.COUNT.number()).putInt(44, 3);
        forged.putInt(HEADER_BYTES - 4, crc(forged.array(), 0, HEADER_BYTES - 4));
        refused(forged.array(), "a count file cannot have salt 3");
    }

    @Test
    void refusesAHeaderThatContradictsItself() {
        refused(patched(22, (short) 300), "the header contradicts itself");
        refused(patched(40, (short) 1_000), "the header contradicts itself");
        refused(patched(38, (short) 0x8000), "the header contradicts itself");
        refused(patched(16, (short) 100), "the header cannot be 100 bytes");
        refused(patched(18, (short) 0xFFFF), "the header cannot be 4294901888 bytes");
        refused(
                "no filter, but long enough to be one.............................".getBytes(StandardCharsets.UTF_8),
                "not a Perhaps file");
    }

    @Test
    void refusesEveryFlippedBit() {
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> read(new ByteArrayInputStream(flipped)))
                    .as("bit %d", bit)
                    .isInstanceOf(FormatException.class);
        }
    }

    @Test
    void refusesAStreamThatIsCutAtAnyByte() {
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> read(new ByteArrayInputStream(cut)))
                    .as("%d bytes", length)
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("it is cut short");
        }
    }

    @Test
    void refusesAFileOfAnotherLengthThanItSays() throws IOException {
        Path file = Files.write(folder.resolve("file"), Arrays.copyOf(bytes, bytes.length - 1));
        assertThatThrownBy(() -> Frame.look(file))
                .isInstanceOf(FormatException.class)
                .hasMessage(file + ": it is cut short: 155 bytes where its header says 156");
        Files.write(file, Arrays.copyOf(bytes, bytes.length + 1));
        assertThatThrownBy(() -> Frame.look(file)).hasMessageContaining("longer than it should be: 157 bytes");
        Files.write(file, new byte[0]);
        assertThatThrownBy(() -> Frame.look(file)).hasMessage(file + ": it is cut short: it is empty");
        assertThatThrownBy(() -> Frame.look(folder))
                .isInstanceOf(IOException.class)
                .hasMessage(folder + " is a directory, not a file");
    }

    /** A sender may announce anything; it is compared with the cap before a byte is allocated. */
    @Test
    void refusesAPayloadAboveTheCap() {
        byte[] huge = patched(37, (short) 0x10);
        assertThatThrownBy(() -> FrameReader.open(new ByteArrayInputStream(huge), CAP))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("at most 1048576 are allowed here");
        assertThatThrownBy(() -> FrameReader.open(new ByteArrayInputStream(bytes), 23))
                .hasMessageContaining("it holds 24 bytes of payload, and at most 23");
    }

    @Test
    void refusesAnotherKindOrKey() throws IOException {
        FrameReader in = FrameReader.open(new ByteArrayInputStream(bytes), CAP);
        assertThat(in.frame(Kind.BLOOM, Key.strings().seeded(KEY.seed()))).isSameAs(in.frame());
        assertThatThrownBy(() -> in.frame(Kind.FUSE, KEY)).hasMessage("it holds a bloom, not a fuse");
        assertThatThrownBy(() -> in.frame(Kind.BLOOM, Key.strings()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("seed 72623859790382856, not with key 'utf8' and seed 0");
        assertThatThrownBy(() -> in.frame(Kind.BLOOM, Key.longs().seeded(KEY.seed())))
                .hasMessageContaining("written with key 'utf8 of name'");
    }

    @Test
    void holdsThePayloadAgainstWhatIsAskedOfIt() throws IOException {
        FrameReader more = FrameReader.open(new ByteArrayInputStream(bytes), CAP);
        assertThatThrownBy(() -> more.longs(4))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("its parameters ask for 4 words of payload where 24 bytes are left");
        FrameReader less = FrameReader.open(new ByteArrayInputStream(bytes), CAP);
        less.longs(2);
        assertThatThrownBy(less::end).hasMessageContaining("8 bytes of payload are too many");
        assertThatThrownBy(() -> frame().write(new ByteArrayOutputStream(), payload -> payload.longs(WORDS, 0, 2)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("announced 24 bytes of payload, wrote 16");
    }

    private static long[] read(ByteArrayInputStream in) throws IOException {
        FrameReader reader = FrameReader.open(in, CAP);
        long[] words = reader.longs(WORDS.length);
        reader.end();
        return words;
    }

    private static void refused(byte[] wrong, String message) {
        assertThatThrownBy(() -> read(new ByteArrayInputStream(wrong)))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(message);
    }

    /** The file with other bytes in its header, and a checksum that fits them. */
    private byte[] patched(int at, short value) {
        ByteBuffer wrong = ByteBuffer.wrap(bytes.clone()).order(ByteOrder.LITTLE_ENDIAN);
        wrong.putShort(at, value);
        wrong.putInt(HEADER_BYTES - 4, crc(wrong.array(), 0, HEADER_BYTES - 4));
        return wrong.array();
    }

    private static int crc(byte[] of, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(of, from, to - from);
        return (int) crc.getValue();
    }
}
