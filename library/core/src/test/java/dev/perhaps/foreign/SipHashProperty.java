package dev.perhaps.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.Hashing;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/** SipHash-2-4 against the paper and against Guava's. */
class SipHashProperty {
    /** Appendix A of the paper: key 00 01 … 0F, input 00 01 … 0E; and the inputs 00 … n of its reference code. */
    @Example
    void hashesAsPublished() {
        byte[] key = upTo(16);
        long key0 = SipHash.keyHalf(key, 0);
        long key1 = SipHash.keyHalf(key, 8);
        assertThat(SipHash.hash(key0, key1, upTo(15))).isEqualTo(0xA129CA6149BE45E5L);
        assertThat(SipHash.hash(key0, key1, upTo(0))).isEqualTo(0x726FDB47DD0E0E31L);
        assertThat(SipHash.hash(key0, key1, upTo(1))).isEqualTo(0x74F839C593DC67FDL);
        assertThat(SipHash.hash(key0, key1, upTo(7))).isEqualTo(0xAB0200F58B01D137L);
        assertThat(SipHash.hash(key0, key1, upTo(8))).isEqualTo(0x93F5F5799A932462L);
    }

    private static byte[] upTo(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    @Property
    void hashesAsGuava(@ForAll long key0, @ForAll long key1, @ForAll @Size(max = 600) byte[] bytes) {
        assertThat(SipHash.hash(key0, key1, bytes))
                .isEqualTo(Hashing.sipHash24(key0, key1).hashBytes(bytes).asLong());
    }
}
