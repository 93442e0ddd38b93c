package dev.perhaps.lab.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.sharing.SharedCaches.Counts;
import dev.perhaps.lab.sharing.SharedCaches.Policy;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CacheSharingTest {
    private static final SharingScenario SMALL = SharingScenario.usual("small", 30_000);

    @Test
    void theGuardCostsLittleMoreThanTheBetterPolicy() {
        Findings findings = new CacheSharing().run(new Conditions(1, true, (doing, share) -> {}));
        assertThat(findings.expectations()).hasSize(10).allMatch(Expectation::held);
        assertThat(findings.plots()).hasSize(3);
        assertThat(findings.tables()).hasSize(5);
    }

    @Test
    void countsAlikeForTheSameSeed() {
        Counts one = SharedCaches.play(SMALL, Policy.GUARD, 3);
        Counts two = SharedCaches.play(SMALL, Policy.GUARD, 3);
        assertThat(one.cost).isEqualTo(two.cost);
        assertThat(one.digestBytes).isEqualTo(two.digestBytes);
        assertThat(one.falseHits).isEqualTo(two.falseHits);
    }

    @Test
    void findsWithoutDigestsNothingAndByAskingEverybodyEverything() {
        Counts none = SharedCaches.play(SMALL, Policy.NO_SHARING, 1);
        Counts trust = SharedCaches.play(SMALL, Policy.ALWAYS_TRUST, 1);
        Counts everybody = SharedCaches.play(SMALL, Policy.ASK_EVERYBODY, 1);
        assertThat(none.remote).isZero();
        assertThat(none.messages()).isZero();
        assertThat(trust.hitRate()).isBetween(none.hitRate() + 0.05, everybody.hitRate());
        assertThat(everybody.wasted()).isZero();
        assertThat(everybody.messages()).isGreaterThan(3 * trust.messages());
    }

    /** 100,000 requests of common interest: the first of 1,000 ranks has 1 / Σ r^−0.8 = 6.3 % of them, ± 0.4 % at five sigma. */
    @Test
    void asksByZipfsLaw() {
        PageTrace trace = new PageTrace(1_000, 1, 0, 5);
        int first = trace.common()[0];
        long asked = IntStream.range(0, 100_000)
                .filter(i -> trace.next(0, 1) == first)
                .count();
        double sum = IntStream.rangeClosed(1, 1_000)
                .mapToDouble(r -> Math.pow(r, -0.8))
                .sum();
        assertThat(asked / 100_000.0).isBetween(1 / sum - 0.004, 1 / sum + 0.004);
    }
}
