package dev.perhaps.lab.paradox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.key.Key;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.ResultTable;
import org.junit.jupiter.api.Test;

class ParadoxExperimentTest {
    private static final long A = Key.longs().hash(1);
    private static final long B = Key.longs().hash(2);

    @Test
    void reproducesThePublishedResultsWithFewSeeds() {
        Findings findings = new ParadoxExperiment().run(new Conditions(0, true, (doing, share) -> {}));
        assertThat(findings.expectations()).hasSize(31).allMatch(Expectation::held);
        assertThat(findings.tables())
                .extracting(ResultTable::name)
                .containsExactly("published", "counters", "honest", "prior", "selection");
        ResultTable honest = findings.tables().get(2);
        assertThat(honest.rows()).as("two lists, three sizes, ten entrants").hasSize(2 * 3 * 10);
    }

    @Test
    void repeatsOneFifthOfAllAddressesTwentyTimes() {
        AddressTrace trace = AddressTrace.of(30_000, 7);
        int[] hits = new int[1];
        trace.play(new Sentry() {
            @Override
            public boolean isWorthAsking(long hash) {
                return false;
            }

            @Override
            public void sees(long hash, boolean hit, long evicted, int cached) {
                hits[0] += hit ? 1 : 0;
                assertThat(cached).isBetween(1, AddressTrace.CACHE_ENTRIES);
                assertThat(evicted != AddressTrace.NONE && cached < AddressTrace.CACHE_ENTRIES)
                        .as("evicted from a cache that is not full")
                        .isFalse();
            }
        });
        // 300 addresses come 19 times again; 5,000 entries are about 6,200 of 30,000 accesses, 4 of 20 comings.
        assertThat(hits[0]).isBetween(5_400, 5_700);
    }

    @Test
    void aMirrorWithLongFingerprintsIsNeverWrong() {
        AddressTrace.Scores scores = AddressTrace.of(30_000, 3).play(new MirrorSentry(133_120));
        assertThat(scores.online().truePositives()).isEqualTo(1);
        assertThat(scores.afterwards().truePositives()).isEqualTo(1);
        assertThat(scores.online().falsePositives()).isLessThan(1e-4);
    }

    @Test
    void takesNoMoreBitsThanItIsGiven() {
        for (int bits : new int[] {21_700, 53_200, 133_120}) {
            assertThat(new MirrorSentry(bits).bits()).isBetween(bits * 9L / 10, (long) bits);
            assertThat(new ReuseSentry(bits).bits()).isBetween(bits * 9 / 10, bits);
        }
    }

    @Test
    void knowsAKeyFromItsFirstHitAndWhetherItIsCachedNow() {
        ReuseSentry sentry = new ReuseSentry(21_700);
        sentry.sees(A, false, AddressTrace.NONE, 1);
        assertThat(sentry.isWorthAsking(A)).as("came once").isFalse();
        sentry.sees(A, true, AddressTrace.NONE, 1);
        assertThat(sentry.isWorthAsking(A)).as("came again").isTrue();
        sentry.sees(B, false, A, 1);
        assertThat(sentry.isWorthAsking(A)).as("evicted").isFalse();
        sentry.sees(A, false, B, 1);
        assertThat(sentry.isWorthAsking(A)).as("back, and known").isTrue();
        assertThat(sentry.isWorthAsking(B)).isFalse();
    }

    @Test
    void keepsAllReusedKeysAtNineTenthsOfItsSlots() {
        ReuseSentry sentry = new ReuseSentry(17 * 4 * 250);
        for (long i = 0; i < 900; i++) {
            sentry.sees(Key.longs().hash(i), true, AddressTrace.NONE, 1);
        }
        int found = 0;
        for (long i = 0; i < 900; i++) {
            found += sentry.isWorthAsking(Key.longs().hash(i)) ? 1 : 0;
        }
        assertThat(found).isGreaterThan(880);
    }

    @Test
    void countMinAsksForWhatCameMoreOftenThanDifferentKeysAColumn() {
        CountMinSentry sentry = new CountMinSentry(30, 10, 31);
        for (long i = 0; i < 100; i++) {
            sentry.sees(Key.longs().hash(1_000 + i), false, AddressTrace.NONE, 1);
        }
        assertThat(sentry.differentKeys()).isEqualTo(100);
        for (int i = 0; i < 10; i++) {
            sentry.sees(A, false, AddressTrace.NONE, 1);
        }
        // 101 different keys in 10 columns: the threshold is 11, and A's least counter is at least its own 10.
        assertThat(sentry.isWorthAsking(A)).isTrue();
        assertThat(sentry.isWorthAsking(B)).isFalse();
        CountMinSentry narrow = new CountMinSentry(30, 10, 2);
        for (int i = 0; i < 100; i++) {
            narrow.sees(A, false, AddressTrace.NONE, 1);
        }
        assertThat(narrow.highestCounter()).isEqualTo(3);
    }
}
