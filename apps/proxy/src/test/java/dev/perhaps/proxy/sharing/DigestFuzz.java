package dev.perhaps.proxy.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a sibling sends as its digest is taken or refused; a refused one changes nothing. */
class DigestFuzz {
    private static final int HEAD_BYTES = 60;
    private static final int CHECKED_BYTES = 56;
    private static final int MAX_BYTES = 1 << 16;

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "1m")
    void takesADigestOrRefusesIt(byte[] bytes) {
        DigestCopy copy = new DigestCopy(Key.strings(), MAX_BYTES);
        try {
            Digest digest = Digest.parse(sealed(bytes));
            assertThat(digest.toBytes()).isEqualTo(sealed(bytes));
            copy.accept(digest.toBytes());
            copy.mightContainHash(1);
        } catch (FormatException e) {
            assertThat(e.getMessage()).isNotBlank();
            assertThat(copy.state()).isNull();
        }
    }

    static Stream<byte[]> seeds() throws IOException {
        BloomFilter<String> filter = BloomFilter.expecting(100).build();
        filter.add("a");
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        filter.writeTo(frame);
        byte[] whole = new Digest(Digest.Form.WHOLE, 1, 1, 0, 1, frame.toByteArray()).toBytes();
        byte[] nothing = new Digest(Digest.Form.NOTHING_NEW, 1, 1, 0, 1, new byte[0]).toBytes();
        Random random = new Random(9);
        return Stream.of(whole, nothing)
                .flatMap(good -> Stream.concat(
                        Stream.of(good),
                        Stream.generate(() -> flipped(good, random)).limit(10)));
    }

    /** With the checksum of its head, or what is behind it would never be reached. */
    private static byte[] sealed(byte[] bytes) {
        byte[] sealed = bytes.clone();
        if (sealed.length >= HEAD_BYTES) {
            CRC32C crc = new CRC32C();
            crc.update(sealed, 0, CHECKED_BYTES);
            ByteBuffer.wrap(sealed).order(ByteOrder.LITTLE_ENDIAN).putInt(CHECKED_BYTES, (int) crc.getValue());
        }
        return sealed;
    }

    private static byte[] flipped(byte[] good, Random random) {
        byte[] bad = good.clone();
        bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
        return bad;
    }
}
