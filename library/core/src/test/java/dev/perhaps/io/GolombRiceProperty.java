package dev.perhaps.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Golomb-Rice codes: what is written is read again, and nothing else. */
class GolombRiceProperty {
    /** The table of BIP 158: the codes of 0 to 9 with two bits of remainder. */
    @Example
    void writesTheCodesOfTheTable() {
        String[] codes = {"000", "001", "010", "011", "1000", "1001", "1010", "1011", "11000", "11001"};
        for (int number = 0; number < codes.length; number++) {
            byte[] bytes = new byte[1];
            new GolombRice.Writer(bytes, 0, 2).write(number);
            String bits = Integer.toBinaryString(0x100 | bytes[0] & 0xFF).substring(1);
            assertThat(bits).isEqualTo(codes[number] + "0".repeat(8 - codes[number].length()));
            assertThat(GolombRice.bits(number, 2)).isEqualTo(codes[number].length());
        }
    }

    @Property
    void readsWhatWasWritten(
            @ForAll("numbers") @Size(max = 200) List<Long> quotients,
            @ForAll @IntRange(max = GolombRice.MAX_REMAINDER_BITS) int remainderBits,
            @ForAll @IntRange(max = 9) int from,
            @ForAll long seed) {
        List<Long> numbers = quotients.stream()
                .map(quotient -> quotient << remainderBits | (seed * quotient & (1L << remainderBits) - 1))
                .toList();
        byte[] bytes = written(numbers, from, remainderBits);

        GolombRice.Reader in = new GolombRice.Reader(bytes, from, remainderBits);
        for (long number : numbers) {
            assertThat(in.next()).isEqualTo(number);
        }
        assertThat(in.atEnd()).isTrue();
    }

    @Property
    void tellsThatBytesAreMissing(@ForAll("numbers") @Size(min = 1, max = 50) List<Long> numbers) {
        byte[] bytes = written(numbers, 0, 19);
        GolombRice.Reader in = new GolombRice.Reader(Arrays.copyOf(bytes, bytes.length - 1), 0, 19);
        // A code has 20 bits or more: a byte less cuts the last one only.
        for (long number : numbers.subList(0, numbers.size() - 1)) {
            assertThat(in.next()).isEqualTo(number);
        }
        assertThat(in.next()).isNegative();
    }

    @Property
    void endsOnAnyBytes(@ForAll @Size(max = 300) byte[] bytes, @ForAll @IntRange(max = 32) int remainderBits) {
        GolombRice.Reader in = new GolombRice.Reader(bytes, 0, remainderBits);
        long codes = 0;
        while (in.next() >= 0) {
            codes++;
        }
        assertThat(codes * (remainderBits + 1)).isLessThanOrEqualTo(bytes.length * 8L);
    }

    private static byte[] written(List<Long> numbers, int from, int remainderBits) {
        long bits = numbers.stream()
                .mapToLong(number -> GolombRice.bits(number, remainderBits))
                .sum();
        byte[] bytes = new byte[from + (int) ((bits + 7) / 8)];
        GolombRice.Writer out = new GolombRice.Writer(bytes, from, remainderBits);
        numbers.forEach(out::write);
        return bytes;
    }

    /** Mostly small ones, as gaps are, and some whose ones fill more than one window. */
    @Provide
    Arbitrary<List<Long>> numbers() {
        return Arbitraries.oneOf(
                        Arbitraries.longs().between(0, 5), Arbitraries.longs().between(0, 300))
                .list();
    }
}
