package dev.perhaps.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.sketch.Added;
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
}
