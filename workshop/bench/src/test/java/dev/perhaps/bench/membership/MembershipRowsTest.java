package dev.perhaps.bench.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.bench.Contender;
import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.Keys;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MembershipRowsTest {
    private static final int ITEMS = 20_000;

    /** The reference is no filter: one bit per key, in as much memory as a filter of 1 %. */
    private static final double MAX_ERROR = 0.12;

    static Stream<Entrant<long[]>> longs() {
        return MembershipRows.longs().stream();
    }

    static Stream<Entrant<String[]>> strings() {
        return MembershipRows.strings().stream();
    }

    @ParameterizedTest
    @MethodSource("longs")
    void findsEveryLongAndFewOthers(Entrant<long[]> entrant) {
        findsEveryKeyAndFewOthers(entrant, Keys.longs(ITEMS, ITEMS));
    }

    @ParameterizedTest
    @MethodSource("strings")
    void findsEveryStringAndFewOthers(Entrant<String[]> entrant) {
        findsEveryKeyAndFewOthers(entrant, Keys.strings(ITEMS, ITEMS));
    }

    private static <K> void findsEveryKeyAndFewOthers(Entrant<K> entrant, Keys<K> keys) {
        Contender<K> contender = entrant.maker().make(ITEMS);
        entrant.addAll(contender, keys.added(), ITEMS);
        assertThat(entrant.foundAll(contender, keys.asked(), keys.asks())).isEqualTo(ITEMS);
        assertThat(entrant.foundAll(contender, keys.absent(), ITEMS)).isLessThan((int) (MAX_ERROR * ITEMS));
        assertThat(contender.sizeBytes() * 8.0 / ITEMS).isBetween(8.0, 64.0);
    }

    /** Loops that two rows share would be compiled for both, and be slower than either. */
    @Test
    void givesEveryRowLoopsOfItsOwn() {
        List<Class<?>> classes = Stream.concat(longs(), strings())
                .<Class<?>>map(entrant -> entrant.maker().make(ITEMS).getClass())
                .toList();
        assertThat(classes).doesNotHaveDuplicates();
    }

    @Test
    void givesEveryRowANameOfItsOwn() {
        assertThat(Stream.concat(longs(), strings()).map(Entrant::name)).doesNotHaveDuplicates();
    }

    /** A goal that names a row which is not there would never be judged, and nobody would notice. */
    @Test
    void everyGoalSpeaksOfRowsThatThereAre() {
        Set<String> rows = new HashSet<>();
        Stream.concat(longs(), strings()).map(Entrant::name).forEach(rows::add);
        for (OwnRow own : MembershipRows.ours()) {
            Stream.of(own.oneByOne(), own.inBatches(), own.inBulk(), own.onOneThread())
                    .map(Entrant::name)
                    .forEach(rows::add);
        }
        for (OwnRow own : MembershipRows.merging()) {
            rows.add(OwnRow.merged(own.name()));
            rows.add(OwnRow.addedAgain(own.name()));
        }
        assertThat(MembershipGoals.of(100_000_000))
                .allSatisfy(goal -> assertThat(rows).containsAll(goal.rows()));
    }
}
