package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Against a set: any hashes, mixed well or not, in any order and number. */
class FuseFilterProperty {
    @Property
    void holdsExactlyTheSetItWasBuiltFrom(
            @ForAll @Size(max = 300) List<Long> hashes,
            @ForAll @IntRange(min = 1, max = 32) int width,
            @ForAll Random random)
            throws IOException {
        Set<Long> set = new HashSet<>(hashes);
        FuseFilter<Long> filter = built(hashes, Math.max(1, set.size()), width);
        assertThat(filter.itemsNow()).isEqualTo(set.size());
        for (long hash : set) {
            assertThat(filter.mightContainHash(hash)).isTrue();
        }

        List<Long> otherwise = new ArrayList<>(set);
        Collections.shuffle(otherwise, random);
        assertThat(bytes(built(otherwise, Math.max(1, set.size()), width))).isEqualTo(bytes(filter));
    }

    private static FuseFilter<Long> built(List<Long> hashes, int items, int width) {
        long[] all = hashes.stream().mapToLong(Long::longValue).toArray();
        return FuseFilter.expecting(items)
                .fingerprintBits(width)
                .of(Key.longs())
                .buildFrom(Hashes.of(all));
    }

    private static byte[] bytes(FuseFilter<Long> filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }
}
