package dev.perhaps.proxy.sharing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.BloomDelta;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Digests on their way from one cache to another: taken as they are, or refused with a reason. */
class DigestTest {
    private static final Key<String> KEY = Key.strings().seeded(7);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static Holdings holdings(int from, int to) {
        Holdings held = Holdings.of(KEY, "a", 1_000, 10, 99, sentence -> {});
        for (int i = from; i < to; i++) {
            held.stored("http://origin/" + i);
        }
        held.publish();
        return held;
    }

    private static byte[] frame(dev.perhaps.sketch.Sketch sketch) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            sketch.writeTo(out);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return out.toByteArray();
    }

    private static void refused(DigestCopy copy, byte[] message, String why) {
        DigestCopy.State before = copy.state();
        assertThatThrownBy(() -> copy.accept(message))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(why);
        assertThat(copy.state()).isSameAs(before);
    }

    private static DigestCopy.State state(DigestCopy copy) {
        return Objects.requireNonNull(copy.state());
    }

    @Test
    void takesAWholeDigestAndWhatCameAfterIt() throws IOException {
        Holdings held = holdings(0, 800);
        DigestCopy copy = new DigestCopy(KEY, 1 << 20);
        assertThat(copy.accept(held.since(0, 0))).isEqualTo(1);
        for (int i = 800; i < 830; i++) {
            held.stored("http://origin/" + i);
            held.removed("http://origin/" + (i - 800));
        }
        held.publish();
        byte[] delta = held.since(99, 1);
        assertThat(Digest.parse(delta).form()).isEqualTo(Digest.Form.DELTA);
        assertThat(delta.length).isLessThan(held.since(0, 0).length / 2);
        assertThat(copy.accept(delta)).as("30 of 800 are new").isBetween(0.02, 0.06);
        for (int i = 30; i < 830; i++) {
            assertThat(copy.mightContainHash(KEY.hash("http://origin/" + i))).isTrue();
        }
        assertThat(copy.accept(held.since(99, 2))).as("nothing new").isZero();
        assertThat(state(copy).version()).isEqualTo(2);
        assertThat(state(copy).documents()).isEqualTo(800);
    }

    /** 20 of 1,000 planned pages: 140 of 10,000 bits are set, and need no 1,250 bytes. */
    @Test
    void isShortWhereLittleIsHeld() throws IOException {
        byte[] message = holdings(0, 20).since(0, 0);
        assertThat(message).hasSizeLessThan(420);
        DigestCopy copy = new DigestCopy(KEY, 1 << 20);
        copy.accept(message);
        assertThat(state(copy).filter().bits()).isEqualTo(10_000);
        assertThat(copy.mightContainHash(KEY.hash("http://origin/19"))).isTrue();
    }

    @Test
    void refusesADeltaFromAVersionItDoesNotHave() throws IOException {
        Holdings held = holdings(0, 900);
        DigestCopy late = new DigestCopy(KEY, 1 << 20);
        DigestCopy never = new DigestCopy(KEY, 1 << 20);
        late.accept(held.since(0, 0));
        byte[] first = held.since(0, 0);
        held.stored("http://origin/one");
        held.publish();
        held.stored("http://origin/two");
        held.publish();
        byte[] delta = held.since(99, 2);
        refused(late, delta, "delta from version 2, and here is version 1");
        refused(never, delta, "none of its epoch");
        refused(never, held.since(99, 3), "nothing is new since version 3");
        late.accept(held.since(99, 1));
        refused(late, first, "version 1 of the digest is older than version 3");
        Holdings restarted = Holdings.of(KEY, "a", 1_000, 10, 100, sentence -> {});
        restarted.publish();
        late.accept(restarted.since(99, 3));
        assertThat(state(late).epoch()).isEqualTo(100);
        assertThat(late.mightContainHash(KEY.hash("http://origin/one"))).isFalse();
    }

    @Test
    void refusesOtherKeysSeedsAndKinds() {
        DigestCopy copy = new DigestCopy(KEY, 1 << 20);
        Holdings seeded = Holdings.of(Key.strings().seeded(8), "a", 1_000, 10, 1, sentence -> {});
        seeded.publish();
        refused(copy, seeded.since(0, 0), "seed 8");
        byte[] longs = frame(BloomFilter.expecting(10).of(Key.longs().seeded(7)).build());
        refused(copy, new Digest(Digest.Form.WHOLE, 1, 1, 0, 0, longs).toBytes(), "int64");
        byte[] blocked = frame(BlockedBloom.expecting(10).of(KEY).build());
        refused(copy, new Digest(Digest.Form.WHOLE, 1, 1, 0, 0, blocked).toBytes(), "holds a blocked, not a bloom");
        byte[] whole = frame(BloomFilter.expecting(10).of(KEY).build());
        refused(copy, new Digest(Digest.Form.DELTA, 1, 1, 0, 0, whole).toBytes(), "holds a bloom, not a bloom-delta");
        byte[] twice = Arrays.copyOf(whole, whole.length + 4);
        refused(copy, new Digest(Digest.Form.WHOLE, 1, 1, 0, 0, twice).toBytes(), "4 bytes follow");
    }

    /** A delta of a few bytes can stand for a filter of any size, and a header can promise any payload. */
    @Test
    void refusesWhatIsTooLargeBeforeItTakesMemory() {
        BloomFilter<String> huge =
                BloomFilter.expecting(1 << 24).of(KEY).bits(1L << 27).build();
        byte[] small = frame(BloomDelta.fromEmpty(huge));
        byte[] whole = frame(huge);
        DigestCopy copy = new DigestCopy(KEY, 1 << 20);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        refused(copy, new Digest(Digest.Form.DELTA, 1, 1, 0, 0, small).toBytes(), "134217728 bits");
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isLessThan(1 << 20);
        refused(copy, new Digest(Digest.Form.WHOLE, 1, 1, 0, 0, whole).toBytes(), "at most 1048576");
    }

    @Test
    void refusesOtherLayoutsAndImpossibleHeads() {
        DigestCopy copy = new DigestCopy(KEY, 1 << 20);
        byte[] good = holdings(0, 10).since(0, 0);
        refused(copy, new byte[0], "cut short: 0 bytes");
        refused(
                copy,
                "<html><body>not found".repeat(4).getBytes(java.nio.charset.StandardCharsets.UTF_8),
                "not a digest");
        refused(copy, with(good, 8, (short) 2), "layout 2");
        refused(copy, with(good, 10, (short) 9), "form 9");
        refused(copy, Arrays.copyOf(good, good.length - 1), "cut short or too long");
        refused(copy, Arrays.copyOf(good, good.length + 1), "cut short or too long");
        byte[] flipped = good.clone();
        flipped[20] ^= 1;
        refused(copy, flipped, "checksum of the digest's head");
        byte[] none = new byte[0];
        refused(copy, new Digest(Digest.Form.NOTHING_NEW, 1, 0, 0, 0, none).toBytes(), "cannot be NOTHING_NEW");
        refused(copy, new Digest(Digest.Form.WHOLE, 1, 1, 0, 0, none).toBytes(), "cannot be WHOLE");
        refused(copy, new Digest(Digest.Form.DELTA, 1, 2, 2, 0, new byte[9]).toBytes(), "cannot be DELTA");
        refused(copy, new Digest(Digest.Form.DELTA, 1, 2, 1, -1, new byte[9]).toBytes(), "-1 documents");
    }

    private static byte[] with(byte[] message, int at, short value) {
        byte[] changed = message.clone();
        ByteBuffer head = ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN);
        head.putShort(at, value);
        CRC32C crc = new CRC32C();
        crc.update(changed, 0, 56);
        head.putInt(56, (int) crc.getValue());
        return changed;
    }

    /** 4,000 accidents: each is refused with a sentence, or changed nothing that counts. */
    @Test
    void survivesEveryAccident() throws IOException {
        Holdings held = holdings(0, 900);
        byte[] whole = held.since(0, 0);
        held.stored("http://origin/new");
        held.publish();
        byte[] delta = held.since(99, 1);
        Random random = new Random(5);
        int refused = 0;
        for (int round = 0; round < 4_000; round++) {
            DigestCopy copy = new DigestCopy(KEY, 1 << 20);
            copy.accept(whole);
            byte[] bad = damaged(round % 2 == 0 ? whole : delta, random);
            try {
                copy.accept(bad);
            } catch (FormatException e) {
                assertThat(e.getMessage()).contains(" ").doesNotContain("null");
                refused++;
            }
            assertThat(copy.mightContainHash(KEY.hash("http://origin/5"))).isTrue();
        }
        assertThat(refused).isGreaterThan(3_990);
    }

    private static byte[] damaged(byte[] good, Random random) {
        byte[] bad = good.clone();
        int at = random.nextInt(good.length);
        switch (random.nextInt(3)) {
            case 0 -> bad[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bad = Arrays.copyOf(good, at);
            default -> {
                for (int i = at; i < Math.min(bad.length, at + 9); i++) {
                    bad[i] = (byte) random.nextInt();
                }
            }
        }
        return bad;
    }
}
