package dev.perhaps.key;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class KmersTest {
    @Test
    void hashesEveryWindowAsTheKmerAlone() {
        String sequence = randomSequence(500, "ACGT");
        for (int bases = 1; bases <= Kmers.MAX_BASES; bases++) {
            Kmers kmers = Key.kmers(bases).seeded(bases);
            assertThat(hashes(kmers, sequence)).isEqualTo(oneByOne(kmers, sequence));
        }
    }

    @Test
    void skipsWindowsThatHoldAnythingElse() {
        String sequence = randomSequence(2_000, "ACGTACGTACGTACGTNn-*RU\n");
        for (int bases : new int[] {1, 2, 5, 9}) {
            assertThat(hashes(Key.kmers(bases), sequence)).isEqualTo(oneByOne(Key.kmers(bases), sequence));
        }
        assertThat(hashes(Key.kmers(3), "ACNGT")).isEmpty();
        assertThat(hashes(Key.kmers(3), "ACGNACG")).hasSize(2);
        assertThat(hashes(Key.kmers(3), "")).isEmpty();
    }

    /** 2 bits per letter with A first: the smaller encoding is the k-mer that comes first in the alphabet. */
    @Test
    void takesTheStrandThatComesFirst() {
        assertThat(Key.kmers(3).hash("TTG")).isEqualTo(Key.longs().hash(0b01_00_00L)); // CAA
        assertThat(Key.kmers(3).hash("CAA")).isEqualTo(Key.longs().hash(0b01_00_00L));
        assertThat(Key.kmers(4).hash("ACGT")).isEqualTo(Key.longs().hash(0b00_01_10_11L)); // its own other strand
        // Unsigned: 32 letters fill the sign bit.
        assertThat(Key.kmers(32).hash("T".repeat(31) + "G"))
                .isEqualTo(Key.longs().hash(1L << 62))
                .isEqualTo(0x1C94B64036D784C1L);
    }

    @Test
    void hashesBothStrandsAlike() {
        String sequence = randomSequence(300, "ACGTN");
        for (int bases : new int[] {1, 4, 11, 31, 32}) {
            long[] forward = hashes(Key.kmers(bases), sequence);
            long[] backward = hashes(Key.kmers(bases), otherStrand(sequence));
            Arrays.sort(forward);
            Arrays.sort(backward);
            assertThat(backward).isEqualTo(forward);
        }
    }

    @Test
    void takesLowerCaseAsUpperCase() {
        String sequence = randomSequence(100, "ACGT");
        assertThat(hashes(Key.kmers(21), sequence.toLowerCase(Locale.ROOT))).isEqualTo(hashes(Key.kmers(21), sequence));
        assertThat(Key.kmers(4).hash("gatC")).isEqualTo(Key.kmers(4).hash("GATC"));
    }

    @Test
    void rollsOverASequenceInPieces() {
        String sequence = randomSequence(1_000, "ACGTACGTACGTN");
        byte[] letters = sequence.getBytes(US_ASCII);
        Kmers.Window window = Key.kmers(7).window();
        Random random = new Random(1);
        LongStream.Builder all = LongStream.builder();
        long[] piece = new long[60];
        for (int at = 0; at < letters.length; ) {
            int to = Math.min(letters.length, at + random.nextInt(60));
            int count = window.roll(letters, at, to, piece);
            Arrays.stream(piece, 0, count).forEach(all);
            at = to;
        }
        assertThat(all.build().toArray()).isEqualTo(hashes(Key.kmers(7), sequence));

        window.restart();
        assertThat(window.roll(letters, 0, 6, piece))
                .as("no window spans two sequences")
                .isZero();
    }

    @Test
    void refusesWhatIsNoKmer() {
        Kmers kmers = Key.kmers(4);
        for (String wrong : new String[] {"", "ACG", "ACGTA", "ACGN", "AC T", "ACGＴ"}) {
            assertThatThrownBy(() -> kmers.hash(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a k-mer of key kmers:4 has exactly 4 letters of A, C, G and T, got '" + wrong + "'");
        }
        for (int bases : new int[] {0, -1, 33}) {
            assertThatThrownBy(() -> Key.kmers(bases))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a k-mer must have 1 to 32 bases, got " + bases);
        }
        assertThatThrownBy(() -> kmers.hashes(new byte[9], 0, 9, new long[8]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("9 letters need room for as many hashes, got 8");
        assertThatThrownBy(() -> kmers.hashes(new byte[9], 4, 10, new long[8]))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    private static long[] oneByOne(Kmers kmers, String sequence) {
        LongStream.Builder all = LongStream.builder();
        for (int at = 0; at + kmers.bases() <= sequence.length(); at++) {
            String window = sequence.substring(at, at + kmers.bases());
            if (window.matches("[ACGT]+")) {
                all.add(kmers.hash(window));
            }
        }
        return all.build().toArray();
    }

    private static long[] hashes(Kmers kmers, String sequence) {
        byte[] letters = sequence.getBytes(US_ASCII);
        long[] into = new long[letters.length];
        return Arrays.copyOf(into, kmers.hashes(letters, 0, letters.length, into));
    }

    private static String otherStrand(String sequence) {
        StringBuilder other = new StringBuilder();
        for (int i = sequence.length() - 1; i >= 0; i--) {
            int at = "ACGTN".indexOf(sequence.charAt(i));
            other.append("TGCAN".charAt(at));
        }
        return other.toString();
    }

    private static String randomSequence(int length, String letters) {
        Random random = new Random(length);
        StringBuilder sequence = new StringBuilder();
        for (int i = 0; i < length; i++) {
            sequence.append(letters.charAt(random.nextInt(letters.length())));
        }
        return sequence.toString();
    }
}
