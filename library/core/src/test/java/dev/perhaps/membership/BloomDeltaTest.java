package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Golden;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class BloomDeltaTest {
    private static BloomFilter<String> filter(int from, int to) {
        BloomFilter<String> filter =
                BloomFilter.expecting(10_000).falsePositives(0.01).build();
        for (int i = from; i < to; i++) {
            filter.add("page " + i);
        }
        return filter;
    }

    private static BloomDelta<String> read(byte[] bytes) throws IOException {
        return BloomDelta.readFrom(new ByteArrayInputStream(bytes), Key.strings(), bytes.length);
    }

    @Test
    void leadsFromOneFilterToTheOther() throws IOException {
        int[][] ranges = {{0, 0}, {0, 1}, {0, 10_000}, {100, 10_100}, {5_000, 15_000}, {20_000, 30_000}};
        BloomFilter<String> before = filter(0, 10_000);
        byte[] asItWas = before.toBytes();
        for (int[] range : ranges) {
            BloomFilter<String> now = filter(range[0], range[1]);
            BloomDelta<String> delta = read(BloomDelta.between(before, now).toBytes());
            assertThat(delta.applyTo(before).toBytes()).isEqualTo(now.toBytes());
        }
        assertThat(before.toBytes()).isEqualTo(asItWas);
    }

    /**
     * A hundredth of 10,000 items replaced at 7 hashes: about 7 · (1/2 + 1/2) · 100 = 690 bits differ, one in 139, and each
     * takes log2(139) + 1.5 = 8.6 bits; within a tenth.
     */
    @Test
    void isATwentiethOfTheFilterWhereAHundredthChanged() {
        BloomFilter<String> before = filter(0, 10_000);
        BloomDelta<String> delta = BloomDelta.between(before, filter(100, 10_100));
        assertThat(delta.changes()).isBetween(620L, 760L);
        double each = delta.sizeBytes() * 8.0 / delta.changes();
        assertThat(each).isBetween(0.9 * 8.6, 1.1 * 8.6);
        assertThat(delta.sizeBytes()).isLessThan(before.sizeBytes() / 15);
    }

    /** The bits were read four times, each time with more of them set: the delta led to no filter, or stopped. */
    @Test
    void isOfOneMomentWhileOtherThreadsAdd() throws Exception {
        BloomFilter<String> before =
                BloomFilter.expecting(200_000).falsePositives(0.01).build();
        BloomFilter<String> now = before.copy().concurrent();
        AtomicBoolean done = new AtomicBoolean();
        Thread adding = new Thread(() -> {
            for (long hash = 1; !done.get(); hash += 0x9E3779B97F4A7C15L) {
                now.addHash(hash);
            }
        });
        adding.start();
        try {
            for (int round = 0; round < 50; round++) {
                now.clear();
                BloomFilter<String> there =
                        read(BloomDelta.between(before, now).toBytes()).applyTo(before);
                assertThat(there.load()).isBetween(0.0, 1.0);
            }
        } finally {
            done.set(true);
            adding.join();
        }
        assertThat(BloomDelta.fromEmpty(now).applyToEmpty().toBytes()).isEqualTo(now.toBytes());
    }

    @Test
    void saysNothingWhereNothingChanged() throws IOException {
        BloomFilter<String> same = filter(0, 100);
        BloomDelta<String> delta = BloomDelta.between(same, same.copy());
        assertThat(delta.changes()).isZero();
        assertThat(delta.sizeBytes()).isZero();
        assertThat(read(delta.toBytes()).applyTo(same).toBytes()).isEqualTo(same.toBytes());
    }

    /** 100 of 10,000 planned items: 700 bits of 96,000, in less than a kilobyte instead of twelve. */
    @Test
    void isTheFilterItselfInShortWhereLittleIsInIt() throws IOException {
        BloomFilter<String> now = filter(0, 100);
        BloomDelta<String> delta = read(BloomDelta.fromEmpty(now).toBytes());
        assertThat(delta.applyToEmpty().toBytes()).isEqualTo(now.toBytes());
        assertThat(delta.bits()).isEqualTo(now.bits());
        assertThat(delta.sizeBytes()).isLessThan(1_000);
        assertThat(now.sizeBytes()).isGreaterThan(11_000);
    }

    @Test
    void refusesAFilterItWasNotMadeFrom() {
        BloomDelta<String> delta = BloomDelta.between(filter(0, 100), filter(0, 200));
        assertThatThrownBy(() -> delta.applyTo(filter(0, 101)))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("another filter");
        assertThatThrownBy(() -> delta.applyTo(BloomFilter.expecting(100).build()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("bits");
        BloomFilter<String> seeded = BloomFilter.expecting(10_000)
                .of(Key.strings().seeded(5))
                .falsePositives(0.01)
                .build();
        assertThatThrownBy(() -> delta.applyTo(seeded))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("seed 5");
        assertThatThrownBy(() -> BloomDelta.between(filter(0, 1), seeded)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesFiltersWithDifferentSalts() throws IOException {
        BloomFilter<String> one = salted(1, 100);
        BloomFilter<String> other = salted(2, 200);
        assertThatThrownBy(() -> BloomDelta.between(one, other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("salt 1 against salt 2");
        BloomDelta<String> delta = BloomDelta.between(one, salted(1, 200));
        assertThatThrownBy(() -> delta.applyTo(salted(2, 100)))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("salt 1, this one has salt 2");

        BloomDelta<String> read = read(delta.toBytes());
        assertThat(read.toBytes()).isEqualTo(delta.toBytes());
        assertThat(read.describe().toString()).containsPattern("(?m)^salt +1$");
        BloomFilter<String> applied = read.applyTo(one);
        assertThat(applied.salt()).isEqualTo(1);
        assertThat(applied.mightContain("item 199")).isTrue();
        assertThat(BloomDelta.fromEmpty(applied).applyToEmpty().mightContain("item 199"))
                .isTrue();
    }

    private static BloomFilter<String> salted(int salt, int items) {
        BloomFilter<String> filter = BloomFilter.expecting(1_000).salt(salt).build();
        for (int i = 0; i < items; i++) {
            filter.add("item " + i);
        }
        return filter;
    }

    @Test
    void readsAndWritesTheFirstVersion() throws IOException {
        BloomDelta<String> built = BloomDelta.between(filter(0, 1_000), filter(30, 1_030));
        BloomDelta<?> read = (BloomDelta<?>) Golden.check("bloom-delta-1", built);
        assertThat(read.changes()).isEqualTo(built.changes());
    }
}
