package dev.perhaps.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisTopKTest {
    private static byte[] bytes(RedisTopK top) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        top.writeTo(out);
        return out.toByteArray();
    }

    /** The sums are those of a list that is looked through with every addition. */
    @ParameterizedTest
    @CsvSource({"1, 318c7341", "10, 29310e41", "1000, 241a34d1"})
    void pushesOutWhatALoopOverTheListWouldAndHasTheSameBytes(int k, String sumOfAll) throws IOException {
        RedisTopK top = RedisTopK.of(k, 2_000, 5, 0.9);
        Random random = new Random(k);
        CRC32C sum = new CRC32C();
        for (int i = 0; i < 200_000; i++) {
            byte[] item =
                    Integer.toString(random.nextInt(1 + random.nextInt(20_000))).getBytes(StandardCharsets.US_ASCII);
            byte[] out = top.add(item, 1 + random.nextInt(3));
            sum.update(out == null ? new byte[] {0} : out);
            if (i == 100_000) {
                top = RedisTopK.readFrom(new ByteArrayInputStream(bytes(top)), 1 << 20)
                        .copy();
            }
        }
        sum.update(bytes(top));
        assertThat(Long.toHexString(sum.getValue())).isEqualTo(sumOfAll);
        assertThat(bytes(top.copy())).isEqualTo(bytes(top));
    }

    @Test
    void refusesAListThatHasAnItemTwice() throws IOException {
        RedisTopK top = RedisTopK.of(2, 8, 1, 0.9);
        assertThat(top.add(new byte[] {'a'}, 1)).isNull();
        assertThat(top.add(new byte[] {'b'}, 1)).isNull();
        byte[] bytes = bytes(top);
        bytes[bytes.length - 1] = 'a';
        assertThat(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(12))
                .isEqualTo(2);
        assertThatThrownBy(() -> RedisTopK.readFrom(new ByteArrayInputStream(bytes), 1 << 20))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("twice");
    }
}
