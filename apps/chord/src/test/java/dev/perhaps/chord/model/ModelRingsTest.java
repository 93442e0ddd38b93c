package dev.perhaps.chord.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ModelRingsTest {
    @Test
    void knowsWhatLiesBetweenOnTheCircle() {
        assertThat(Circle.isIn(10, 11, 20)).isTrue();
        assertThat(Circle.isIn(10, 20, 20)).isTrue();
        assertThat(Circle.isIn(10, 10, 20)).isFalse();
        assertThat(Circle.isIn(-5, 3, 7)).isTrue();
        assertThat(Circle.isIn(7, 3, -5)).isFalse();
        assertThat(Circle.isIn(7, 3, 7)).as("one member has it all").isTrue();
        assertThat(Circle.between(10, 20, 20)).isFalse();
        assertThat(Circle.between(7, 7, 7)).isFalse();
        assertThat(Circle.between(7, 8, 7)).isTrue();
    }

    @Test
    void findsTheOwnerAfterMembersCameAndWentAsATreeDoes() {
        SplittableRandom random = new SplittableRandom(5);
        long[] places = new long[2_000];
        LiveMembers live = new LiveMembers(places, 300);
        TreeMap<Long, Integer> tree = new TreeMap<>(Long::compareUnsigned);
        int members = 0;
        for (int step = 0; step < 3_500; step++) {
            if (tree.size() < 2 || random.nextInt(100) < 55 && members < places.length) {
                places[members] = random.nextLong();
                live.add(members);
                tree.put(places[members], members++);
            } else {
                int member = live.byLot(random.nextInt(live.count()));
                live.remove(member);
                tree.remove(places[member]);
                assertThat(live.has(member)).isFalse();
            }
            long key = random.nextLong();
            var owner = tree.ceilingEntry(key);
            assertThat(live.owner(key))
                    .isEqualTo(owner == null ? tree.firstEntry().getValue() : owner.getValue());
            assertThat(live.count()).isEqualTo(tree.size());
        }
        assertThat(live.owner(places[live.byLot(0)]))
                .as("a key on a member's place is its own")
                .isEqualTo(live.byLot(0));
    }

    @Test
    void losesNoLookupWhereNobodyComesOrGoes() {
        ChurnRing.Outcome outcome = ChurnRing.run(new ChurnRing.Plan(200, 8, 0, 100, 200, 3));
        assertThat(outcome.lookups()).isBetween(19_000L, 21_000L);
        assertThat(outcome.wrong() + outcome.timeouts() + outcome.joins() + outcome.crashes() + outcome.lost())
                .isZero();
    }

    @Test
    void repeatsAHistoryFromItsSeed() {
        ChurnRing.Plan plan = new ChurnRing.Plan(500, 8, 0.5, 5, 600, 11);
        ChurnRing.Outcome outcome = ChurnRing.run(plan);
        assertThat(ChurnRing.run(plan)).isEqualTo(outcome);
        assertThat(ChurnRing.run(new ChurnRing.Plan(500, 8, 0.5, 5, 600, 12)).fingerprint())
                .isNotEqualTo(outcome.fingerprint());
        assertThat(outcome.joins()).isPositive();
        assertThat(outcome.timeouts()).isPositive();
        assertThat(outcome.fingerprint()).as("on every machine").isEqualTo(5225031661906561264L);
    }

    @Test
    void findsAlmostAllKeysWhileEveryMemberIsReplaced() {
        // 300 members, and as many crashes in a thousand seconds: in each interval of 30 s a thirtieth is gone.
        ChurnRing.Outcome outcome = ChurnRing.run(new ChurnRing.Plan(300, 16, 0.3, 20, 1_000, 4));
        assertThat(outcome.crashes()).isBetween(250L, 350L);
        assertThat(outcome.wrong()).isLessThan(outcome.lookups() / 500);
        assertThat(outcome.lost()).isZero();
    }

    @Test
    void findsEveryKeyOfARingThatCrashedInPart() {
        StaticRing ring = StaticRing.of(1, 1);
        assertThat(ring.hops(0, 12)).isZero();
        assertThat(ring.owner(12)).isZero();
        CrashedRing crashed = CrashedRing.of(100, 8, 0.3, 1);
        for (long key = Long.MIN_VALUE; key < Long.MAX_VALUE - (1L << 56); key += 1L << 56) {
            int from = crashed.owner(key * 3);
            assertThat(crashed.lookup(from, key)).isEqualTo(crashed.owner(key));
        }
        assertThatThrownBy(() -> new ChurnRing.Plan(1, 1, 0, 0, 1, 1)).hasMessageContaining("got 1 and 1");
    }
}
