package dev.perhaps.membership.quotient;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.sketch.Added;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The worked examples, every intermediate table of them, and the edges of blocks and circle. */
class QuotientTableTest {
    @Test
    void laysOutExampleAAsWrittenStepByStep() {
        QuotientTable table = table(3, 6);
        add(table, "001.000101");
        assertSlots(table, "", "100 000101", "", "", "", "", "", "");
        add(table, "001.111000");
        assertSlots(table, "", "100 000101", "011 111000", "", "", "", "", "");
        add(table, "001.010101");
        assertSlots(table, "", "100 000101", "011 010101", "011 111000", "", "", "", "");
        add(table, "001.110011");
        assertSlots(table, "", "100 000101", "011 010101", "011 110011", "011 111000", "", "", "");
        add(table, "011.000011");
        assertSlots(table, "", "100 000101", "011 010101", "111 110011", "011 111000", "001 000011", "", "");
        add(table, "011.000001");
        assertSlots(table, "", "100 000101", "011 010101", "111 110011", "011 111000", "001 000001", "011 000011", "");
        add(table, "010.111000");
        assertSlots(
                table,
                "",
                "100 000101",
                "111 010101",
                "111 110011",
                "011 111000",
                "001 111000",
                "001 000001",
                "011 000011");

        // The lookups there: quotient 5 is not occupied; the run of quotient 2 begins at slot 5.
        assertThat(table.get(QuotientTable.OCCUPIED, 5)).isFalse();
        assertThat(table.contains(fingerprint("101.111000"))).isFalse();
        assertThat(table.runStart(2)).isEqualTo(5);
        assertThat(table.contains(fingerprint("010.111000"))).isTrue();
        assertThat(table.contains(fingerprint("010.000001"))).isFalse();
        assertThat(table.used()).isEqualTo(table.limit).isEqualTo(7);
    }

    @Test
    void laysOutExampleB() {
        QuotientTable table = table(5, 6);
        for (String each : List.of("10001.001010", "10011.100111", "10011.111111", "10100.101101", "10100.111110")) {
            add(table, each);
        }
        assertSlot(table, 0b10001, "100 001010");
        assertSlot(table, 0b10011, "100 100111");
        assertSlot(table, 0b10100, "111 111111");
        assertSlot(table, 0b10101, "001 101101");
        assertSlot(table, 0b10110, "011 111110");
        assertSlot(table, 0b10111, "000 000000");

        add(table, "10100.000000");
        String[] expected = new String[32];
        Arrays.fill(expected, "");
        expected[0b10001] = "100 001010";
        expected[0b10011] = "100 100111";
        expected[0b10100] = "111 111111";
        expected[0b10101] = "001 000000";
        expected[0b10110] = "011 101101";
        expected[0b10111] = "011 111110";
        assertSlots(table, expected);
    }

    private static final long COPENHAGEN = 4248224207L;
    private static final long LISBON = 629555247L;
    private static final long PARIS = 2673248856L;
    private static final long STOCKHOLM = 775943400L;
    private static final long ZAGREB = 1474643542L;
    private static final long WARSAW = 567538184L;

    @Test
    void laysOutExampleCAndForgetsWarsawWithoutATrace() {
        QuotientTable table = new QuotientTable(1L << 32, 29);
        for (long each : new long[] {COPENHAGEN, LISBON, PARIS}) {
            table.add(each, true);
        }
        assertValues(table, "", "100 92684335", "", "", "100 525765208", "", "", "100 490127823");
        table.add(STOCKHOLM, true);
        assertValues(table, "", "100 92684335", "011 239072488", "", "100 525765208", "", "", "100 490127823");
        table.add(ZAGREB, true);
        long[] before = table.words.clone();
        assertValues(
                table, "", "100 92684335", "111 239072488", "001 400901718", "100 525765208", "", "", "100 490127823");
        table.add(WARSAW, true);
        assertValues(
                table,
                "",
                "100 30667272",
                "111 92684335",
                "011 239072488",
                "101 400901718",
                "001 525765208",
                "",
                "100 490127823");

        // Looking Paris up: the cluster begins at slot 1, its run is the third, at slot 5.
        assertThat(table.runStart(4)).isEqualTo(5);
        assertThat(table.contains(PARIS)).isTrue();

        assertThat(table.remove(WARSAW)).isTrue();
        assertThat(table.words).isEqualTo(before);
        assertThat(table.remove(WARSAW)).isFalse();
        assertThat(table.words).isEqualTo(before);
    }

    @Test
    void growsAsInTheExampleAndShrinksBack() {
        QuotientTable two = table(2, 6);
        add(two, "01.001010");
        add(two, "11.100111");
        assertSlots(two, "", "100 001010", "", "100 100111");

        QuotientTable three = woven(5, two);
        assertSlots(three, "", "", "100 01010", "", "", "", "", "100 00111");

        QuotientTable four = woven(4, three);
        String[] expected = new String[16];
        Arrays.fill(expected, "");
        expected[0b0100] = "100 1010";
        expected[0b1110] = "100 0111"; // the source prints 110 here, a continuation of nothing
        assertSlots(four, expected);

        assertThat(woven(6, four).words).isEqualTo(two.words);
    }

    @Test
    void closesTheCircle() {
        // All belong to the last quotient: the second and third lie in slots 0 and 1, and push 0's own run on.
        QuotientTable table = table(3, 6);
        for (String each : List.of("111.000010", "111.000001", "000.000111", "111.000011")) {
            add(table, each);
        }
        assertSlots(table, "111 000010", "011 000011", "001 000111", "", "", "", "", "100 000001");
        assertThat(table.remove(fingerprint("111.000010"))).isTrue();
        assertSlots(table, "111 000011", "001 000111", "", "", "", "", "", "100 000001");
        assertThat(table.remove(fingerprint("111.000001"))).isTrue();
        assertSlots(table, "100 000111", "", "", "", "", "", "", "100 000011");
    }

    @Test
    void isFullAtNineTenthsAndChangesNothingThen() {
        QuotientTable table = table(3, 6);
        for (int i = 0; i < 7; i++) {
            assertThat(table.add(i, true)).isEqualTo(Added.ADDED);
        }
        long[] before = table.words.clone();
        assertThat(table.add(99, true)).isEqualTo(Added.FULL);
        assertThat(table.add(3, true)).isEqualTo(Added.FULL);
        assertThat(table.words).isEqualTo(before);
        assertThat(table.used()).isEqualTo(7);
        // Where each is kept once, what is there needs no room.
        assertThat(table.add(3, false)).isEqualTo(Added.PRESENT);
        assertThat(table.add(99, false)).isEqualTo(Added.FULL);
        assertThat(table.words).isEqualTo(before);
    }

    @Test
    void keepsARunOfThousandsOfCopies() {
        QuotientTable table = new QuotientTable(10_000L << 9, 9);
        long often = 9_990L << 9 | 77;
        for (int i = 0; i < 5_000; i++) {
            assertThat(table.add(often, true)).isEqualTo(i == 0 ? Added.ADDED : Added.PRESENT);
        }
        table.add(often - 1, true);
        table.add(often + 1, true);
        assertThat(table.count(often)).isEqualTo(5_000);
        assertThat(table.distinct()).isEqualTo(3);
        assertThat(QuotientCheck.flaw(table, true)).isEmpty();
        for (int i = 0; i < 5_000; i++) {
            assertThat(table.remove(often)).isTrue();
        }
        assertThat(table.contains(often)).isFalse();
        assertThat(table.count(often - 1) + table.count(often + 1)).isEqualTo(2);
        assertThat(QuotientCheck.flaw(table, true)).isEmpty();
    }

    /** Large enough to be cut into parts, whose edges are not edges of clusters. */
    @Test
    void weavesTheSameWordsAsAddingOneByOne() {
        long range = 400_001L << 5;
        SplittableRandom random = new SplittableRandom(1);
        List<QuotientTable> sources = new ArrayList<>();
        for (int bits : new int[] {5, 6, 4, 8, 5}) {
            QuotientTable source = new QuotientTable(range, bits);
            for (long i = Math.min(source.limit, 32_000); i > 0; i--) {
                source.add(random.nextLong(range), true);
            }
            sources.add(source);
        }
        for (int bits : new int[] {5, 4, 6}) {
            QuotientTable oneByOne = new QuotientTable(range, bits);
            for (QuotientTable source : sources) {
                new QuotientCursor(source).forEachRemaining((long each) -> oneByOne.add(each, true));
            }
            QuotientTable woven = new QuotientTable(range, bits);
            QuotientWeaver.weave(woven, sources, false);
            assertThat(Arrays.equals(woven.words, oneByOne.words)).isTrue();
            assertThat(woven.used()).isEqualTo(oneByOne.used());
            assertThat(woven.distinct()).isEqualTo(oneByOne.distinct());
        }
    }

    @Test
    void weavesWhatSetsShareOnce() {
        long range = 1_000L << 8;
        List<QuotientTable> sources = new ArrayList<>();
        for (int step : new int[] {2, 3, 5, 7}) {
            QuotientTable source = new QuotientTable(range, 8);
            LongStream.range(0, 400).forEach(i -> source.add(i * step * 97 % range, false));
            sources.add(source);
        }
        long[] union = sources.stream()
                .flatMapToLong(QuotientTableTest::fingerprints)
                .distinct()
                .sorted()
                .toArray();
        QuotientTable woven = new QuotientTable(range, 7);
        QuotientWeaver.weave(woven, sources, true);
        assertThat(fingerprints(woven).toArray()).isEqualTo(union);
        assertThat(woven.distinct()).isEqualTo(union.length);
        assertThat(QuotientWeaver.countOnce(sources)).isEqualTo(union.length);
        assertThat(QuotientCheck.flaw(woven, false)).isEmpty();
    }

    private static LongStream fingerprints(QuotientTable table) {
        LongStream.Builder all = LongStream.builder();
        new QuotientCursor(table).forEachRemaining((long each) -> all.add(each));
        return all.build();
    }

    private static QuotientTable woven(int remainderBits, QuotientTable from) {
        QuotientTable table = new QuotientTable(from.range, remainderBits);
        QuotientWeaver.weave(table, List.of(from), false);
        return table;
    }

    private static QuotientTable table(int quotientBits, int remainderBits) {
        return new QuotientTable(1L << quotientBits + remainderBits, remainderBits);
    }

    private static long fingerprint(String bits) {
        return Long.parseLong(bits.replace(".", ""), 2);
    }

    private static void add(QuotientTable table, String bits) {
        assertThat(table.add(fingerprint(bits), true)).isEqualTo(Added.ADDED);
    }

    private static void assertSlot(QuotientTable table, long slot, String expected) {
        String remainder = Long.toBinaryString(1L << table.remainderBits | table.remainder(slot))
                .substring(1);
        assertThat(QuotientModel.metadata(table, slot) + " " + remainder).isEqualTo(expected);
    }

    /** Metadata in the order occupied, continuation, shifted, and the remainder in binary; empty: all zeros. */
    private static void assertSlots(QuotientTable table, String... expected) {
        assertThat(table.slots).isEqualTo(expected.length);
        for (int slot = 0; slot < expected.length; slot++) {
            String zeros = "000 " + "0".repeat(table.remainderBits);
            assertSlot(table, slot, expected[slot].isEmpty() ? zeros : expected[slot]);
        }
    }

    /** The same with remainders in decimal. */
    private static void assertValues(QuotientTable table, String... expected) {
        assertThat(table.slots).isEqualTo(expected.length);
        for (int slot = 0; slot < expected.length; slot++) {
            assertThat(QuotientModel.metadata(table, slot) + " " + table.remainder(slot))
                    .isEqualTo(expected[slot].isEmpty() ? "000 0" : expected[slot]);
        }
    }
}
