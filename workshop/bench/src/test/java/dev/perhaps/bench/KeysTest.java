package dev.perhaps.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeysTest {
    @Test
    void asksEveryKeyOnceInAnotherOrder() {
        for (int items : new int[] {1, 2, 10, 4096, 10_007}) {
            Keys<long[]> keys = Keys.longs(items, 10);
            assertThat(keys.asked()).containsExactlyInAnyOrder(keys.added());
        }
        Keys<long[]> keys = Keys.longs(1_000, 10);
        assertThat(keys.asked()).isNotEqualTo(keys.added());
    }

    @Test
    void addsNoAbsentKey() {
        Keys<String[]> keys = Keys.strings(5_000, 5_000);
        Set<String> all = new HashSet<>(Arrays.asList(keys.added()));
        all.addAll(Arrays.asList(keys.absent()));
        assertThat(all).hasSize(10_000).allMatch(key -> key.length() == 20);
        assertThat(keys.added()).contains(keys.asked());
    }
}
