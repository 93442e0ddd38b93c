package dev.perhaps.similarity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextSignerTest {
    private static MinHash<CharSequence> family(Shingles shingles, int components) {
        return MinHash.of(components).of(shingles.key());
    }

    private static Signature byHashes(Shingles shingles, MinHash<CharSequence> family, byte[] utf8) {
        long[] hashes = shingles.hashes(new String(utf8, StandardCharsets.UTF_8));
        return family.sign(hashes, 0, hashes.length);
    }

    /** ASCII with other letters in it, more or less of them, and in one of four texts bytes that are no UTF-8. */
    private static byte[] text(SplittableRandom random, int length) {
        byte[] text = new byte[length];
        int rarity = 1 << random.nextInt(14);
        boolean isMalformed = random.nextInt(4) == 0;
        int at = 0;
        while (at < length) {
            if (random.nextInt(rarity) > 0 || rarity == 1 << 13) {
                text[at++] = (byte) ('a' + random.nextInt(26));
            } else {
                int codePoint = 0x80 + random.nextInt(0x11000);
                byte[] letter = Character.toString(codePoint).getBytes(StandardCharsets.UTF_8);
                int bytes = Math.min(length - at, isMalformed ? 1 : letter.length);
                System.arraycopy(letter, 0, text, at, bytes);
                at += bytes;
            }
        }
        return text;
    }

    /** Texts of up to four blocks, those that end at the edge of one among them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 33, 1_024, 1_500})
    void signsLikeTheHashesOfAllShingles(int size) {
        Shingles shingles = Shingles.codePoints(size);
        SplittableRandom random = new SplittableRandom(size);
        TextSigner[] signers = {
            shingles.signer(family(shingles, 128)),
            shingles.signer(family(shingles, 100)),
            shingles.signer(MinHash.classic(16).of(shingles.key()))
        };
        for (int run = 0; run < 200; run++) {
            int edge = run % 4 * 1_024 + size - 1 + random.nextInt(3) - 1;
            byte[] utf8 = text(random, run % 2 == 0 ? random.nextInt(4_500) : Math.max(0, edge));
            for (TextSigner signer : signers) {
                assertThat(signer.sign(utf8, 0, utf8.length)).isEqualTo(byHashes(shingles, signer.family(), utf8));
            }
            long[] into = new long[Math.max(1, utf8.length)];
            assertThat(Arrays.copyOf(into, shingles.hashes(utf8, 0, utf8.length, into)))
                    .isEqualTo(shingles.hashes(new String(utf8, StandardCharsets.UTF_8)));
        }
    }

    @Test
    void signsWordsAndNormalisedTextsToo() {
        String text = "To be, or  not to be: ".repeat(100) + "that is the question";
        for (Shingles shingles :
                new Shingles[] {Shingles.words(2), Shingles.codePoints(4).normalised()}) {
            TextSigner signer = shingles.signer(family(shingles, 64));
            assertThat(signer.sign(text))
                    .isEqualTo(byHashes(shingles, signer.family(), text.getBytes(StandardCharsets.UTF_8)));
        }
    }

    /** Twelve different shingles in 12 million: all bins but a few stay empty, and 128 rounds over all would take minutes. */
    @Test
    @Timeout(20)
    void signsALongTextThatRepeatsItselfLikeAShortOne() {
        Shingles shingles = Shingles.codePoints();
        TextSigner signer = shingles.signer(family(shingles, 128));
        assertThat(signer.sign("over and and".repeat(1_000_000))).isEqualTo(signer.sign("over and and".repeat(2)));
    }

    @Test
    void signsAPartOfAnArray() {
        Shingles shingles = Shingles.codePoints();
        TextSigner signer = shingles.signer(family(shingles, 128));
        byte[] utf8 = "xxIt was the best of timesyyy".getBytes(StandardCharsets.UTF_8);
        assertThat(signer.sign(utf8, 2, utf8.length - 3)).isEqualTo(signer.sign("It was the best of times"));
    }

    @Test
    void refusesAFamilyOfOtherShingles() {
        assertThatThrownBy(() -> Shingles.codePoints(9).signer(family(Shingles.codePoints(10), 128)))
                .hasMessageContaining("shingles:10 with seed 0 against shingles:9");
        Shingles shingles = Shingles.codePoints();
        assertThatThrownBy(() -> shingles.signer(family(shingles, 128)).sign(new byte[3], 0, 3, new long[127]))
                .hasMessageContaining("must have 128 places, got 127");
    }
}
