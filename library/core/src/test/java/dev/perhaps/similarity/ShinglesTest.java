package dev.perhaps.similarity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShinglesTest {
    private static final String MIXED = "Grüße, 世界! 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 — naïve café; ".repeat(7) + "end";

    /** One by one, by the key, which knows nothing of rolling. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 10, 31, 100, 200})
    void rollsToTheHashOfEachShingle(int size) {
        Shingles shingles = Shingles.codePoints(size);
        int[] codePoints = MIXED.codePoints().toArray();
        long[] expected = new long[codePoints.length - size + 1];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = shingles.key().hash(new String(codePoints, i, size));
        }
        assertThat(shingles.hashes(MIXED)).isEqualTo(expected);
    }

    @Test
    void rollsToTheHashOfEachRunOfWords() {
        Shingles shingles = Shingles.words(2);
        assertThat(shingles.hashes(" to be\n or\u00a0not  to be "))
                .containsExactly(
                        shingles.key().hash("to be"),
                        shingles.key().hash("be or"),
                        shingles.key().hash("or not"),
                        shingles.key().hash("not to"),
                        shingles.key().hash("to be"));
        assertThat(Shingles.words(5).hashes("one two"))
                .containsExactly(Shingles.words(5).key().hash(" one  two"));
    }

    /** Random bytes, most of them no UTF-8, and random chars, lone surrogates among them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 10})
    void hashesBytesAsTheStringTheyAre(int size) {
        Shingles shingles = Shingles.codePoints(size);
        SplittableRandom random = new SplittableRandom(size);
        long[] into = new long[400];
        for (int run = 0; run < 2_000; run++) {
            byte[] bytes = new byte[random.nextInt(60)];
            random.nextBytes(bytes);
            int count = shingles.hashes(bytes, 0, bytes.length, into);
            assertThat(Arrays.copyOf(into, count))
                    .isEqualTo(shingles.hashes(new String(bytes, StandardCharsets.UTF_8)));

            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(40); i > 0; i--) {
                int kind = random.nextInt(4);
                text.append(
                        (char) (kind == 0 ? 0xD800 + random.nextInt(0x800) : random.nextInt(kind == 1 ? 128 : 0x3000)));
            }
            byte[] utf8 = text.toString().getBytes(StandardCharsets.UTF_8);
            assertThat(Arrays.copyOf(into, shingles.hashes(utf8, 0, utf8.length, into)))
                    .isEqualTo(shingles.hashes(text));
        }
    }

    @Test
    void hashesAPartOfAnArray() {
        byte[] utf8 = ("xx" + MIXED + "yyy").getBytes(StandardCharsets.UTF_8);
        long[] into = new long[utf8.length];
        int count = Shingles.codePoints().hashes(utf8, 2, utf8.length - 3, into);
        assertThat(Arrays.copyOf(into, count)).isEqualTo(Shingles.codePoints().hashes(MIXED));
    }

    @Test
    void hashesATextShorterThanAShingleAsAWhole() {
        Shingles shingles = Shingles.codePoints(10);
        Set<Long> all = new HashSet<>();
        for (String text : new String[] {"", " ", "a", "aa", "ab", "ba", "abcdefghi", "aaaaaaaaaa"}) {
            assertThat(shingles.hashes(text)).hasSize(1);
            all.add(shingles.hashes(text)[0]);
        }
        assertThat(all).hasSize(8);
        assertThat(shingles.hashes("abcdefghi")).isEqualTo(shingles.hashes(CharBuffer.wrap("abcdefghi")));
    }

    /**
     * 2^16 different shingles, letters that changed places among them. All hashes differ; their high 17 bits fall into 51,573
     * of 2^17 cells, standard deviation 85, within 4.4 of those (α = 1.1·10⁻⁵).
     */
    @ParameterizedTest
    @ValueSource(ints = {4, 70})
    void tellsShinglesApart(int size) {
        Shingles shingles = Shingles.codePoints(size);
        char[] letters = "m".repeat(size).toCharArray();
        Set<Long> hashes = new HashSet<>();
        Set<Long> cells = new HashSet<>();
        for (int i = 0; i < 1 << 16; i++) {
            letters[0] = (char) ('a' + (i & 15));
            letters[1] = (char) ('a' + (i >> 4 & 15));
            letters[size - 2] = (char) ('a' + (i >> 8 & 15));
            letters[size - 1] = (char) ('a' + (i >> 12));
            long hash = shingles.hashes(new String(letters))[0];
            hashes.add(hash);
            cells.add(hash >>> 47);
        }
        assertThat(hashes).hasSize(1 << 16);
        assertThat(cells.size()).isBetween(51_573 - 374, 51_573 + 374);
    }

    @ParameterizedTest
    @CsvSource({
        "'Stra\u00dfe', 'STRASSE', FOLDED_CASE",
        "'\u039f\u0394\u039f\u03a3', '\u03bf\u03b4\u03bf\u03c3', FOLDED_CASE",
        "'Zu\u0308rich', 'Z\u00fcrich', NFC",
        "'a  b\t\u00a0c ', 'a b c', SINGLE_SPACES"
    })
    void evensOutWhatItIsAskedTo(String one, String other, Shingles.Form form) {
        Shingles plain = Shingles.codePoints(2);
        assertThat(plain.hashes(one)).isNotEqualTo(plain.hashes(other));
        assertThat(plain.normalised(form).hashes(one))
                .isEqualTo(plain.normalised(form).hashes(other));
        assertThat(plain.normalised().hashes(one)).isEqualTo(plain.normalised().hashes(other));
        byte[] utf8 = one.getBytes(StandardCharsets.UTF_8);
        long[] into = new long[100];
        int count = plain.normalised().hashes(utf8, 0, utf8.length, into);
        assertThat(Arrays.copyOf(into, count)).isEqualTo(plain.normalised().hashes(other));
    }

    @Test
    void namesItselfSoThatOthersCanHashAlike() {
        for (Shingles shingles : new Shingles[] {
            Shingles.codePoints(),
            Shingles.words(3).seeded(7),
            Shingles.codePoints(5).normalised(Shingles.Form.SINGLE_SPACES, Shingles.Form.NFC),
            Shingles.words(65_536).normalised()
        }) {
            Shingles again =
                    Shingles.named(shingles.key().name(), shingles.key().seed());
            assertThat(again.key().fits(shingles.key().name(), shingles.key().seed()))
                    .isTrue();
            assertThat(again.hashes(MIXED)).isEqualTo(shingles.hashes(MIXED));
        }
        assertThat(Shingles.codePoints(5)
                        .normalised(Shingles.Form.SINGLE_SPACES, Shingles.Form.NFC)
                        .key()
                        .name())
                .isEqualTo("shingles:5+nfc+spaces");
        assertThat(Shingles.codePoints().seeded(1).hashes(MIXED))
                .isNotEqualTo(Shingles.codePoints().hashes(MIXED));
        assertThatThrownBy(() -> Shingles.named("utf8", 0)).hasMessageContaining("'utf8'");
        assertThatThrownBy(() -> Shingles.named("shingles:10+rot13", 0)).hasMessageContaining("'rot13'");
    }

    @Test
    void refusesWhatCannotBe() {
        assertThatThrownBy(() -> Shingles.codePoints(0)).hasMessageContaining("got 0");
        assertThatThrownBy(() -> Shingles.words(65_537)).hasMessageContaining("got 65537");
        assertThatThrownBy(() -> Shingles.codePoints(3).hashes("four", new long[3]))
                .hasMessageContaining("must have 4 places for this text, got 3");
    }
}
