package dev.perhaps.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.membership.Filter;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@SuppressWarnings("CheckReturnValue") // a guard learns from every request, whether or not the value is used
class AdvisorTest {
    private static final Costs CACHE = Costs.lookup(1).filter(0.05).origin(10);
    private static final Filter<Long> FILTER = key -> key % 100 < 3 || key < 20_000;

    private static boolean isThere(long key) {
        return key < 10_000;
    }

    private static void tell(Advisor.Advice advice, boolean there) {
        if (advice.isWorthLooking() && there) {
            advice.found();
        } else {
            advice.missed();
        }
    }

    /** The same keys to a guard and to an advisor of its seed: the same lookups, and the same report to the digit. */
    @Test
    void decidesAsAGuardDoes() {
        long[] lookups = new long[2];
        Guard<Long, Long> guard = Guard.plan()
                .costs(CACHE)
                .seed(4)
                .cache(
                        FILTER,
                        key -> {
                            lookups[0]++;
                            return isThere(key) ? Optional.of(key) : Optional.empty();
                        },
                        Optional::of,
                        key -> key / 1_000_000);
        Advisor<Long> advisor = Guard.plan().costs(CACHE).seed(4).advisor(FILTER, key -> key / 1_000_000);
        SplittableRandom random = new SplittableRandom(9);
        for (int i = 0; i < 60_000; i++) {
            long key = random.nextLong(i < 30_000 ? 100_000 : 2_000_000);
            guard.get(key);
            Advisor.Advice advice = advisor.ask(key);
            lookups[1] += advice.isWorthLooking() ? 1 : 0;
            tell(advice, isThere(key));
        }
        assertThat(lookups[1]).isEqualTo(lookups[0]);
        assertThat(advisor.report()).hasToString(guard.report().toString());
    }

    @Test
    void learnsFromAnswersThatComeLate() {
        Advisor<Long> advisor = Guard.plan().costs(CACHE).advisor(key -> true, key -> "all");
        Queue<Advisor.Advice> open = new ArrayDeque<>();
        for (long key = 0; key < 5_000; key++) {
            open.add(advisor.ask(key));
            if (open.size() > 50) {
                tell(open.remove(), false);
            }
        }
        GuardReport.Group group = advisor.report().groups().get(0);
        assertThat(group.action()).isEqualTo(Guard.Action.NEVER);
        assertThat(group.lookups()).isLessThan(500);
    }

    @Test
    void takesNothingFromWhatIsWithdrawn() {
        Advisor<Long> advisor = Guard.plan().costs(CACHE).advisor(key -> true, key -> "all");
        for (long key = 0; key < 5_000; key++) {
            advisor.ask(key).withdrawn();
        }
        GuardReport.Group group = advisor.report().groups().get(0);
        assertThat(group.action()).isEqualTo(Guard.Action.CONSULT);
        assertThat(group.lookups()).isZero();
        assertThat(group.prior().value()).isNaN();
    }

    @Test
    void countsAFailureAndTakesNothingElseFromIt() {
        Advisor<Long> advisor = Guard.plan().costs(CACHE).advisor(key -> true, key -> "all");
        for (long key = 0; key < 100; key++) {
            Advisor.Advice advice = advisor.ask(key);
            advice.failed();
            advice.found();
        }
        GuardReport.Group group = advisor.report().groups().get(0);
        assertThat(group.failed()).isEqualTo(100).isEqualTo(group.lookups());
        assertThat(group.prior().value()).isNaN();
        assertThat(group.saving()).isCloseTo(-100 * CACHE.filter(), within(1e-9));
    }

    @Test
    void countsAnAnswerOnce() {
        Advisor<Long> advisor = Guard.plan().costs(CACHE).advisor(key -> key > 0, key -> "all");
        Advisor.Advice advice = advisor.ask(1L);
        assertThat(advice.isWorthLooking()).isTrue();
        advice.found();
        advice.missed();
        advice.withdrawn();
        assertThat(advice.isWorthLooking()).isFalse();
        assertThat(advisor.ask(0L).isWorthLooking()).isFalse();
        GuardReport.Group group = advisor.report().groups().get(0);
        assertThat(group.lookups()).isEqualTo(1);
        assertThat(group.avoided()).isEqualTo(1);
    }

    /** Half of what the filter says "perhaps" to is there: 2,000 trials, so 0.5 ± 0.045 with a confidence of 99.99 %. */
    @Test
    void saysHowFarAPerhapsIsToBeTrusted() {
        Advisor<Long> advisor = Guard.plan().costs(CACHE).advisor(key -> key % 4 < 2, key -> "all");
        SplittableRandom random = new SplittableRandom(2);
        double trust = 0;
        for (int i = 0; i < 4_000; i++) {
            Advisor.Advice advice = advisor.ask(random.nextLong(1_000_000));
            trust = advice.isWorthLooking() ? advice.trust() : trust;
            tell(advice, random.nextBoolean());
        }
        assertThat(trust).isCloseTo(0.5, within(0.06));
    }

    @Test
    void wantsToBeToldTheCosts() {
        assertThatThrownBy(() -> Guard.plan().advisor(FILTER, key -> "all"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("costs(…)");
    }
}
