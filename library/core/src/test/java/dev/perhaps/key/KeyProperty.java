package dev.perhaps.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.hash.Mix;
import java.math.BigInteger;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

class KeyProperty {
    /** Any chars, half of them surrogates: in pairs, alone, and in the wrong order. */
    @Provide
    Arbitrary<String> strings() {
        Arbitrary<Character> any = Arbitraries.chars().range('\0', '\uFFFF');
        Arbitrary<Character> surrogate = Arbitraries.chars().range('\uD800', '\uDFFF');
        return Arbitraries.oneOf(any, surrogate).list().ofMaxSize(200).map(chars -> {
            StringBuilder text = new StringBuilder();
            chars.forEach(text::append);
            return text.toString();
        });
    }

    @Property
    void aStringHashesAsItsBytes(@ForAll("strings") String text, @ForAll long seed) {
        assertThat(Key.strings().seeded(seed).hash(text))
                .isEqualTo(Key.bytes().seeded(seed).hash(text.getBytes(UTF_8)));
    }

    /** A string is encoded by us up to 16,384 chars, by the JDK above: the seam must not show. */
    @Property(tries = 50)
    void aLongStringHashesAsItsBytes(@ForAll("strings") String text) {
        for (int length : new int[] {16_383, 16_384, 16_385, 40_000}) {
            String padded = "é".repeat(length - text.length()) + text;
            assertThat(Key.strings().hash(padded)).isEqualTo(Key.bytes().hash(padded.getBytes(UTF_8)));
        }
    }

    @Property
    void aRangeOfBytesHashesAsItsCopy(@ForAll byte[] bytes, @ForAll int one, @ForAll int other) {
        int from = Math.floorMod(Math.min(one, other), bytes.length + 1);
        int to = from + Math.floorMod(Math.max(one, other), bytes.length - from + 1);
        assertThat(Key.bytes().hash(bytes, from, to)).isEqualTo(Key.bytes().hash(Arrays.copyOfRange(bytes, from, to)));
    }

    /** docs/format.md: reduce(x, n) = ⌊(x >> 1) · 2n / 2^64⌋. */
    @Property
    void reducesEveryHashIntoRange(@ForAll long hash, @ForAll @LongRange(min = 1, max = (1L << 62) - 1) long n) {
        long reduced = Mix.reduce(hash, n);
        assertThat(reduced).isBetween(0L, n - 1);
        BigInteger exact = BigInteger.valueOf(hash >>> 1)
                .multiply(BigInteger.valueOf(n).shiftLeft(1))
                .shiftRight(64);
        assertThat(BigInteger.valueOf(reduced)).isEqualTo(exact);
    }
}
