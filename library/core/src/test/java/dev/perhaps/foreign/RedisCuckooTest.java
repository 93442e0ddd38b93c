package dev.perhaps.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RedisCuckooTest {
    private static byte[] item(int i) {
        return ("item-" + i).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] bytes(RedisCuckoo filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    /** Random additions and removals of what is there: nothing that is there is ever missed, and the count of items is exact. */
    @Test
    void itForgetsNothingWhileItGrowsAndShrinks() throws IOException {
        Random random = new Random(5);
        RedisCuckoo filter = RedisCuckoo.expecting(64).build();
        boolean[] isThere = new boolean[3_000];
        long items = 0;
        for (int step = 0; step < 20_000; step++) {
            int i = random.nextInt(isThere.length);
            if (isThere[i]) {
                assertThat(filter.remove(item(i))).isTrue();
            } else {
                assertThat(filter.add(item(i), Integer.MAX_VALUE, Long.MAX_VALUE))
                        .isEqualTo(Added.ADDED);
            }
            isThere[i] ^= true;
            items += isThere[i] ? 1 : -1;
        }
        assertThat(filter.count()).isEqualTo(items);
        for (int i = 0; i < isThere.length; i++) {
            assertThat(!isThere[i] || filter.mightContain(item(i))).isTrue();
        }
        filter.compact();
        for (int i = 0; i < isThere.length; i++) {
            assertThat(!isThere[i] || filter.mightContain(item(i))).isTrue();
        }
        byte[] written = bytes(filter);
        assertThat(bytes(RedisCuckoo.readFrom(new ByteArrayInputStream(written), filter.slots())))
                .isEqualTo(written);
    }

    /** A program that limits the work of a caller must know before which removal moves items. */
    @Test
    void aRemovalSaysBeforeWhetherItMovesItems() {
        RedisCuckoo filter = RedisCuckoo.expecting(64).build();
        for (int i = 0; i < 1_000; i++) {
            assertThat(filter.add(item(i), 100, Long.MAX_VALUE)).isEqualTo(Added.ADDED);
        }
        int moving = 0;
        for (int i = 0; i < 900; i++) {
            long removals = filter.removals();
            boolean moves = filter.removalSteps() > 0;
            assertThat(filter.remove(item(i))).isTrue();
            assertThat(filter.removals()).isEqualTo(moves ? 0 : removals + 1);
            moving += moves ? 1 : 0;
        }
        assertThat(moving).isBetween(5, 50);
    }

    @Test
    void whatIsFullChangesNothing() throws IOException {
        RedisCuckoo filter = RedisCuckoo.expecting(64).expansion(0).build();
        int added = 0;
        for (int i = 0; i < 500; i++) {
            byte[] before = bytes(filter);
            if (filter.add(item(i), Integer.MAX_VALUE, Long.MAX_VALUE) == Added.FULL) {
                assertThat(bytes(filter)).isEqualTo(before);
            } else {
                added++;
            }
        }
        assertThat(added).isBetween(40, 64);
        assertThat(filter.tables()).isEqualTo(1);
    }

    @Test
    void memoryIsBounded() {
        RedisCuckoo filter = RedisCuckoo.expecting(64).build();
        for (int i = 0; i < 1_000; i++) {
            assertThat(filter.add(item(i), Integer.MAX_VALUE, 200)).isNotEqualTo(Added.PRESENT);
        }
        assertThat(filter.slots()).isLessThanOrEqualTo(200);
    }

    /** The limit holds for each item, however many are added: what does not fit into two tables is refused. */
    @Test
    void tablesAreBounded() {
        RedisCuckoo filter = RedisCuckoo.expecting(64).build();
        int full = 0;
        for (int i = 0; i < 1_000; i++) {
            full += filter.add(item(i), 2, Long.MAX_VALUE) == Added.FULL ? 1 : 0;
            assertThat(filter.tables()).isLessThanOrEqualTo(2);
        }
        assertThat(filter.tables()).isEqualTo(2);
        assertThat(filter.count()).isEqualTo(1_000 - full);
        assertThat(full).isGreaterThanOrEqualTo(1_000 - 128);
    }

    /** An item whose two buckets are one is counted once per slot. */
    @Test
    void itCountsEachSlotOnce() {
        RedisCuckoo filter = RedisCuckoo.expecting(2).build();
        assertThat(filter.buckets()).isEqualTo(1);
        assertThat(filter.add(item(1), 1, Long.MAX_VALUE)).isEqualTo(Added.ADDED);
        assertThat(filter.count(item(1))).isEqualTo(1);
    }

    @Test
    void headersThatNoFilterHasAreRefusedBeforeMemoryIsTaken() throws IOException {
        byte[] good = RedisCuckoo.expecting(64).build().header();
        assertThat(RedisCuckoo.ofHeader(good, 64).slots()).isEqualTo(64);
        assertThatThrownBy(() -> RedisCuckoo.ofHeader(good, 63)).isInstanceOf(FormatException.class);
        int[][] changes = {
            {7, 0x80}, // items below 0
            {8, 3}, // buckets that are no power of two
            {8, 0}, // no buckets
            {15, 1}, // 2^56 buckets
            {23, 0x80}, // removals below 0
            {24, 0}, // no tables
            {28, 1}, // 2^32 tables
            {32, 0}, // buckets without slots
            {33, 1}, // buckets of 258 slots
            {34, 0}, // no iterations
            {36, 3}, // an expansion that is not a power of two
        };
        for (int[] change : changes) {
            byte[] bad = good.clone();
            bad[change[0]] = (byte) change[1];
            assertThatThrownBy(() -> RedisCuckoo.ofHeader(bad, Long.MAX_VALUE))
                    .as("byte %d = %d", change[0], change[1])
                    .isInstanceOf(FormatException.class);
        }
        byte[] growing = good.clone();
        growing[24] = 40;
        growing[36] = 2;
        assertThatThrownBy(() -> RedisCuckoo.ofHeader(growing, Long.MAX_VALUE)).isInstanceOf(FormatException.class);
    }

    /** n = 100,000 absent items: the share is within 10 % of what is expected, three standard deviations (α = 0.003). */
    @Test
    void theErrorNowIsTheOneThatIsMeasured() {
        RedisCuckoo filter = RedisCuckoo.expecting(4_096).build();
        for (int i = 0; i < 3_000; i++) {
            var unused = filter.add(("item-" + i).getBytes(StandardCharsets.UTF_8), 1, Long.MAX_VALUE);
        }
        int n = 100_000;
        int found = 0;
        for (int i = 0; i < n; i++) {
            found += filter.mightContain(("absent-" + i).getBytes(StandardCharsets.UTF_8)) ? 1 : 0;
        }
        double error = filter.errorNow();
        assertThat((double) found / n).isBetween(error * 0.9, error * 1.1);
        assertThat(error).isLessThan(filter.errorPlanned());
    }
}
