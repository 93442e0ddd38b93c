package dev.perhaps.foreign;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import com.google.common.hash.PrimitiveSink;
import com.sun.management.ThreadMXBean;
import dev.perhaps.foreign.GuavaBloom.Strategy;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Held against Guava itself. */
class GuavaBloomTest {
    private static final int KEYS = 100_000;

    @TempDir
    Path folder;

    /** A funnel of Guava, ours for it, and a value for every number. */
    record Pair<T>(String name, Funnel<? super T> theirs, GuavaBloom.Funnel<T> ours, LongFunction<T> value) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** A value with a funnel that somebody wrote. */
    record User(long id, String name) {}

    static Stream<Pair<?>> funnels() {
        return Stream.of(
                new Pair<>("bytes", Funnels.byteArrayFunnel(), GuavaBloom.Funnel.bytes(), GuavaBloomTest::bytes),
                new Pair<>(
                        "UTF-8",
                        Funnels.stringFunnel(StandardCharsets.UTF_8),
                        GuavaBloom.Funnel.utf8(),
                        GuavaBloomTest::string),
                new Pair<>(
                        "unencoded characters",
                        Funnels.unencodedCharsFunnel(),
                        GuavaBloom.Funnel.unencodedChars(),
                        GuavaBloomTest::string),
                new Pair<Long>("longs", Funnels.longFunnel(), GuavaBloom.Funnel.longs(), i -> i * 0x9E3779B97F4A7C15L),
                new Pair<Integer>("ints", Funnels.integerFunnel(), GuavaBloom.Funnel.ints(), i ->
                        (int) (i * 0x9E3779B97F4A7C15L)),
                new Pair<User>(
                        "a funnel of one's own",
                        GuavaBloomTest::put,
                        GuavaBloomTest::userBytes,
                        i -> new User(i, string(i))));
    }

    private static byte[] bytes(long i) {
        return string(i).getBytes(StandardCharsets.UTF_16BE);
    }

    /** Of many lengths; some with characters outside of ASCII and with half a pair of surrogates. */
    private static String string(long i) {
        return "é€\uD83D\uDE00\uD83D".substring((int) (i % 6)) + "-".repeat((int) (i % 41)) + i;
    }

    private static void put(@Nullable User user, PrimitiveSink sink) {
        sink.putLong(requireNonNull(user).id()).putString(user.name(), StandardCharsets.UTF_8);
    }

    private static byte[] userBytes(User user) {
        byte[] id = GuavaBloom.Funnel.longs().bytesOf(user.id());
        byte[] name = GuavaBloom.Funnel.utf8().bytesOf(user.name());
        return ByteBuffer.allocate(id.length + name.length).put(id).put(name).array();
    }

    @ParameterizedTest
    @MethodSource("funnels")
    <T> void answersAsGuavaWhatGuavaWrote(Pair<T> pair) throws IOException {
        BloomFilter<T> theirs = BloomFilter.create(pair.theirs, KEYS / 2, 0.02);
        for (long i = 0; i < KEYS / 2; i++) {
            theirs.put(pair.value.apply(i));
        }
        Path file = folder.resolve("guava");
        Files.write(file, written(theirs));
        GuavaBloom<T> ours = GuavaBloom.open(file, pair.ours);
        assertSameAnswers(pair, theirs, ours);
        assertThat(ours.errorNow()).isEqualTo(theirs.expectedFpp());
        assertThat(ours.itemsNow()).isEqualTo(theirs.approximateElementCount());
        assertThat(written(ours)).isEqualTo(Files.readAllBytes(file));
    }

    @ParameterizedTest
    @MethodSource("funnels")
    <T> void setsTheSameBitsAsGuava(Pair<T> pair) throws IOException {
        for (double error : new double[] {0.3, 0.03, 0.01, 0.0001}) {
            BloomFilter<T> theirs = BloomFilter.create(pair.theirs, 3_000, error);
            GuavaBloom<T> ours = GuavaBloom.expecting(3_000)
                    .falsePositives(error)
                    .of(pair.ours)
                    .build();
            assertThat(written(ours)).isEqualTo(written(theirs));
            assertSameAdditions(pair, 3_000, theirs, ours);
            assertThat(written(ours)).isEqualTo(written(theirs));
        }
    }

    @ParameterizedTest
    @MethodSource("funnels")
    <T> void writesWhatGuavaReadsAndAnswersTheSame(Pair<T> pair) throws IOException {
        GuavaBloom<T> ours = GuavaBloom.expecting(KEYS / 2)
                .falsePositives(0.02)
                .of(pair.ours)
                .build();
        for (long i = 0; i < KEYS / 2; i++) {
            ours.add(pair.value.apply(i));
        }
        BloomFilter<T> theirs = BloomFilter.readFrom(new ByteArrayInputStream(written(ours)), pair.theirs);
        assertSameAnswers(pair, theirs, ours);
        assertThat(written(theirs)).isEqualTo(written(ours));
    }

    /** Early versions of Guava wrote the strategy of 32 bits; its newest still reads, asks, adds to and writes it. */
    @ParameterizedTest
    @MethodSource("funnels")
    <T> void setsTheSameBitsAsGuavaWithTheStrategyOf32Bits(Pair<T> pair) throws IOException {
        int words = KEYS / 2 / 8;
        byte[] empty = new byte[GuavaBloom.HEADER_BYTES + words * 8];
        ByteBuffer.wrap(empty).put((byte) 0).put((byte) 5).putInt(words);
        BloomFilter<T> theirs = BloomFilter.readFrom(new ByteArrayInputStream(empty), pair.theirs);
        GuavaBloom<T> ours = GuavaBloom.readFrom(new ByteArrayInputStream(empty), pair.ours, empty.length);
        assertThat(ours.strategy()).isEqualTo(Strategy.MITZ_32);
        assertSameAdditions(pair, KEYS / 2, theirs, ours);
        assertSameAnswers(pair, theirs, ours);
        assertThat(written(ours)).isEqualTo(written(theirs));
    }

    private static <T> void assertSameAdditions(Pair<T> pair, int count, BloomFilter<T> theirs, GuavaBloom<T> ours) {
        int different = 0;
        for (long i = 0; i < count; i++) {
            T value = pair.value.apply(i);
            different += (ours.add(value) == Added.ADDED) == theirs.put(value) ? 0 : 1;
        }
        assertThat(different).isZero();
    }

    /** One hundred thousand keys, half of them added. */
    private static <T> void assertSameAnswers(Pair<T> pair, BloomFilter<T> theirs, GuavaBloom<T> ours) {
        int found = 0;
        int different = 0;
        int missed = 0;
        for (long i = 0; i < KEYS; i++) {
            T value = pair.value.apply(i);
            boolean answer = ours.mightContain(value);
            different += answer == theirs.mightContain(value) ? 0 : 1;
            missed += answer || i >= KEYS / 2 ? 0 : 1;
            found += answer ? 1 : 0;
        }
        assertThat(different).isZero();
        assertThat(missed).isZero();
        assertThat(found).isBetween(KEYS / 2, KEYS * 6 / 10);
    }

    @Test
    void plansAsGuavaPlans() throws IOException {
        for (long items : new long[] {1, 2, 7, 100, 12_345}) {
            for (double error : new double[] {0.6, 0.5, 0.1, 0.03, 0.01, 0.005, 1e-6, 1e-12}) {
                GuavaBloom.Plan<String> plan = GuavaBloom.expecting(items).falsePositives(error);
                byte[] theirs = written(BloomFilter.create(Funnels.longFunnel(), items, error));
                assertThat(written(plan.build())).isEqualTo(theirs);
                assertThat(plan.sizeBytes() + GuavaBloom.HEADER_BYTES).isEqualTo(theirs.length);
            }
        }
    }

    @Test
    void refusesImpossiblePlans() {
        assertThatThrownBy(() -> GuavaBloom.expecting(0)).hasMessage("items must be at least 1, got 0");
        for (double rate : new double[] {0, 1, -0.1, 1.5, Double.NaN}) {
            assertThatThrownBy(() -> GuavaBloom.expecting(3).falsePositives(rate))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("falsePositives must be in (0, 1), got " + rate);
        }
        assertThatThrownBy(() -> GuavaBloom.expecting(1).falsePositives(0.9).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("need 0 bits by Guava's rule");
        assertThatThrownBy(() -> GuavaBloom.expecting(1).falsePositives(1e-80).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("need 266 hashes, and Guava has at most 255");
        assertThatThrownBy(() ->
                        GuavaBloom.expecting(1L << 60).falsePositives(0.01).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bits by Guava's rule");
    }

    @Test
    void holdsBothSidesAfterAMerge() throws IOException {
        GuavaBloom<Long> left = longs(1_000, 0, 500);
        GuavaBloom<Long> right = longs(1_000, 500, 1_000);
        GuavaBloom<Long> before = left.copy();
        left.merge(right);
        assertThat(written(left)).isEqualTo(written(longs(1_000, 0, 1_000)));
        assertThat(written(before)).isEqualTo(written(longs(1_000, 0, 500)));
        assertThat(left.fits(right)).isTrue();

        assertThatThrownBy(() -> left.merge(longs(2_000, 0, 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("9600 bits against 19200");
        GuavaBloom<Long> otherHashes = GuavaBloom.readFrom(
                new ByteArrayInputStream(changed(written(right), 1, 3)), GuavaBloom.Funnel.longs(), 10_000);
        assertThatThrownBy(() -> left.merge(otherHashes)).hasMessageContaining("7 hashes against 3");
        GuavaBloom<Long> otherStrategy = GuavaBloom.readFrom(
                new ByteArrayInputStream(changed(written(right), 0, 0)), GuavaBloom.Funnel.longs(), 10_000);
        assertThatThrownBy(() -> left.merge(otherStrategy)).hasMessageContaining("strategy MITZ_64 against MITZ_32");
        GuavaBloom<Long> otherFunnel =
                GuavaBloom.readFrom(new ByteArrayInputStream(written(right)), value -> new byte[3], 10_000);
        assertThatThrownBy(() -> left.merge(otherFunnel)).hasMessageContaining("different funnels");
        assertThat(left.fits(otherFunnel)).isFalse();
    }

    private static GuavaBloom<Long> longs(long planned, long from, long to) {
        GuavaBloom<Long> filter =
                GuavaBloom.expecting(planned).of(GuavaBloom.Funnel.longs()).build();
        for (long i = from; i < to; i++) {
            filter.add(i);
        }
        return filter;
    }

    private static byte[] changed(byte[] bytes, int at, int value) {
        bytes[at] = (byte) value;
        return bytes;
    }

    @Test
    void readsNotAByteBeyondItsEnd() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        longs(100, 0, 100).writeTo(out);
        longs(100, 0, 100).writeTo(out);
        out.write(42);
        ByteArrayInputStream in = new ByteArrayInputStream(out.toByteArray());
        for (int i = 0; i < 2; i++) {
            assertThat(GuavaBloom.readFrom(in, GuavaBloom.Funnel.longs(), 1_000).mightContain(99L))
                    .isTrue();
        }
        assertThat(in.read()).isEqualTo(42);
    }

    @Test
    void savesAndOpensFilesOfManyChunks() throws IOException {
        GuavaBloom<Long> filter = longs(200_000, 0, 1_000);
        Path file = folder.resolve("saved");
        filter.save(file);
        GuavaBloom<Long> opened = GuavaBloom.open(file, GuavaBloom.Funnel.longs());
        assertThat(written(opened)).isEqualTo(written(filter));
        assertThat(opened.sizeBytes()).isEqualTo(Files.size(file) - GuavaBloom.HEADER_BYTES);
        assertThat(opened.toString()).contains("234 KiB", "7 hashes", "MITZ_64", "about 1,001 items", "error now");
    }

    @Test
    void refusesMalformedStreams() {
        String word = "0000000000000000";
        checkRefused("", "cut short in its header");
        checkRefused("0107000000", "cut short in its header");
        checkRefused("020700000001" + word, "its strategy is 2");
        checkRefused("ff0700000001" + word, "its strategy is 255");
        checkRefused("010000000001" + word, "no hashes");
        checkRefused("010700000000", "0 words of bits");
        checkRefused("0107ffffffff", "-1 words of bits");
        checkRefused("01077fffffff", "17179869176 bytes of bits, and at most 1000 are there or allowed");
        checkRefused("01070000007e", "1008 bytes of bits, and at most 1000");
        checkRefused("010700000002" + word + "00", "cut short: 9 bytes of bits where its header says 16");
    }

    /** 2^30 and 2^31 − 1 words under a cap that allows them, where 16 bytes and 1 MiB follow. */
    @Test
    void takesNoMemoryForWordsThatDoNotCome() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int sent : new int[] {16, 1 << 20}) {
            byte[] stream = ByteBuffer.allocate(6 + sent)
                    .put(new byte[] {1, 7, 0x40, 0, 0, 0})
                    .array();
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThatThrownBy(() -> GuavaBloom.readFrom(
                            new ByteArrayInputStream(stream), GuavaBloom.Funnel.utf8(), Long.MAX_VALUE))
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("cut short: " + sent + " bytes of bits where its header says 8589934592");
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(8 << 20);
        }
        byte[] most = {1, 7, 0x7F, -1, -1, -1, 0, 0};
        assertThatThrownBy(() ->
                        GuavaBloom.readFrom(new ByteArrayInputStream(most), GuavaBloom.Funnel.utf8(), Long.MAX_VALUE))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("2147483647 words of bits, and one array has at most 2147483639");
    }

    /** Memory grows as words come: 5 MB in a stream, against the same in a file. */
    @Test
    void readsALongStreamAsItComes() throws IOException {
        byte[] written = written(longs(4_000_000, 0, 1_000));
        assertThat(written.length).isGreaterThan(4 << 20);
        GuavaBloom<Long> read =
                GuavaBloom.readFrom(new ByteArrayInputStream(written), GuavaBloom.Funnel.longs(), Long.MAX_VALUE);
        assertThat(written(read)).isEqualTo(written);
    }

    private static void checkRefused(String stream, String message) {
        byte[] bytes = HexFormat.of().parseHex(stream);
        assertThatThrownBy(() -> GuavaBloom.readFrom(new ByteArrayInputStream(bytes), GuavaBloom.Funnel.utf8(), 1_000))
                .as(stream)
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(message);
    }

    @Test
    void refusesFilesThatAreNoFilters() throws IOException {
        assertThatThrownBy(() -> GuavaBloom.open(folder, GuavaBloom.Funnel.utf8()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is a directory, not a file");
        assertThatThrownBy(() -> GuavaBloom.open(folder.resolve("missing"), GuavaBloom.Funnel.utf8()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("missing");
        Path file = folder.resolve("longer");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        longs(10, 0, 10).writeTo(out);
        out.write(0);
        Files.write(file, out.toByteArray());
        assertThatThrownBy(() -> GuavaBloom.open(file, GuavaBloom.Funnel.longs()))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith(file + ": it is longer than it should be: 23 bytes where its header says 22");
    }

    @Test
    void refusesOrKeepsEveryCorruption() throws IOException {
        Path file = folder.resolve("damaged");
        byte[] good = written(longs(500, 0, 500));
        int refused = Damage.refused(
                good,
                8,
                bytes -> {
                    Files.write(file, bytes);
                    return GuavaBloom.open(file, GuavaBloom.Funnel.longs());
                },
                GuavaBloomTest::written);
        // Of what cuts, appends or hits the length or the strategy, nearly all; of what hits the bits, nothing.
        assertThat(refused).isBetween(500, 900);
    }

    private static byte[] written(BloomFilter<?> filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    private static byte[] written(GuavaBloom<?> filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }
}
