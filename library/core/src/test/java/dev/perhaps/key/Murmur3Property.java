package dev.perhaps.key;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.Hashing;
import dev.perhaps.hash.Murmur3;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/** MurmurHash3 against published values and against Guava's. */
class Murmur3Property {
    @Example
    void hashesTo32BitsAsPublished() {
        check(0x00000000, 0x00000000, "");
        check(0x6A396F08, 0xFBA4C795, "");
        check(0x81F16F39, 0xFFFFFFFF, "");
        check(0x514E28B7, 0x00000000, "00");
        check(0xEA3F0B17, 0xFBA4C795, "00");
        check(0xFD6CF10D, 0x00000000, "ff");
        check(0x16C6B7AB, 0x00000000, "0011");
        check(0x8EB51C3D, 0x00000000, "001122");
        check(0xB4471BF8, 0x00000000, "00112233");
        check(0xE2301FA8, 0x00000000, "0011223344");
        check(0xFC2E4A15, 0x00000000, "001122334455");
        check(0xB074502C, 0x00000000, "00112233445566");
        check(0x8034D2A0, 0x00000000, "0011223344556677");
        check(0xB4698DEF, 0x00000000, "001122334455667788");
    }

    private static void check(int expected, int seed, String hex) {
        assertThat(Murmur3.x86_32(seed, HexFormat.of().parseHex(hex))).isEqualTo(expected);
    }

    @Property
    void hashesTo32BitsAsGuava(@ForAll int seed, @ForAll @Size(max = 100) byte[] bytes) {
        assertThat(Murmur3.x86_32(seed, bytes))
                .isEqualTo(Hashing.murmur3_32_fixed(seed).hashBytes(bytes).asInt());
    }

    @Property
    void hashesTo128BitsAsGuava(@ForAll @Size(max = 100) byte[] bytes) {
        ByteBuffer guava = ByteBuffer.wrap(
                        Hashing.murmur3_128().hashBytes(bytes).asBytes())
                .order(ByteOrder.LITTLE_ENDIAN);
        assertThat(Murmur3.x64_128(bytes)).isEqualTo(new Murmur3.Hash128(guava.getLong(), guava.getLong()));
    }
}
