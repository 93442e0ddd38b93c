package dev.perhaps.proxy.sharing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.guard.Costs;
import dev.perhaps.guard.Guard;
import dev.perhaps.key.Key;
import dev.perhaps.proxy.LookupOutcome;
import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SiblingsTest {
    private static final LookupOutcome MISS = new LookupOutcome.Miss(new LookupOutcome.Cost(1));

    private static LookupOutcome hit(double cost) {
        return new LookupOutcome.Hit(new LookupOutcome.Cost(cost), 10);
    }

    private static final long SECOND = 1_000_000_000L;
    private static final Key<String> KEY = Key.strings();
    private static final Terms TERMS =
            Terms.usual(KEY).costs(0.001, Costs.lookup(1).origin(10));

    private static String page(int i) {
        return "http://origin/news/" + i;
    }

    private static byte[] digest(int from, int to) {
        Holdings held = Holdings.of(KEY, "a", Math.max(1, to - from), 16, from + 1, sentence -> {});
        for (int i = from; i < to; i++) {
            held.stored(page(i));
        }
        held.publish();
        return held.since(0, 0);
    }

    private static SiblingView sibling(Siblings siblings, String name, int from, int to) throws IOException {
        SiblingView view = siblings.add(name);
        view.digested(digest(from, to), 1, 0);
        return view;
    }

    private static void originCosts(Siblings siblings, double cost) {
        for (int i = 0; i < 20; i++) {
            siblings.origin(cost);
        }
    }

    private static Guard.Action action(SiblingView view, String group) {
        return view.report(0).guard().groups().stream()
                .filter(each -> each.group().equals(group))
                .findFirst()
                .orElseThrow()
                .action();
    }

    @Test
    void asksWhoPerhapsHasThePage() throws IOException {
        Siblings siblings = new Siblings(TERMS);
        SiblingView one = sibling(siblings, "one", 0, 100);
        SiblingView two = sibling(siblings, "two", 100, 200);
        siblings.add("three");
        assertThat(Objects.requireNonNull(siblings.ask(page(5))).sibling()).isSameAs(one);
        assertThat(Objects.requireNonNull(siblings.ask(page(105))).sibling()).isSameAs(two);
        assertThat(siblings.ask(page(999))).isNull();
        assertThat(siblings.add("one")).isSameAs(one);
        siblings.remove("one");
        assertThat(siblings.ask(page(5))).isNull();
        assertThat(siblings.all()).extracting(SiblingView::name).containsExactly("two", "three");
    }

    /** Each of three gets a third of 3,000 pages that all of them have, ± 100 (four standard deviations), always the same ones. */
    @Test
    void spreadsPagesOverThoseThatAreAsGood() throws IOException {
        Siblings siblings = new Siblings(TERMS);
        for (String name : new String[] {"one", "two", "three"}) {
            sibling(siblings, name, 0, 3_000);
        }
        Map<String, Integer> shares = new HashMap<>();
        Map<Integer, String> first = new TreeMap<>();
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 3_000; i++) {
                SiblingView.Lookup lookup = Objects.requireNonNull(siblings.ask(page(i)));
                lookup.end(hit(1));
                String before = first.put(i, lookup.sibling().name());
                assertThat(before).isIn(null, lookup.sibling().name());
                shares.merge(lookup.sibling().name(), 1, Integer::sum);
            }
        }
        assertThat(shares.values()).hasSize(3).allMatch(share -> share / 2 > 900 && share / 2 < 1_100);
    }

    @Test
    void prefersTheQuickOne() throws IOException {
        Siblings siblings = new Siblings(TERMS);
        sibling(siblings, "slow", 0, 1_000);
        sibling(siblings, "quick", 0, 1_000);
        originCosts(siblings, 10);
        Map<String, Integer> shares = new HashMap<>();
        for (int i = 0; i < 1_000; i++) {
            SiblingView.Lookup lookup = Objects.requireNonNull(siblings.ask(page(i)));
            lookup.end(hit(lookup.sibling().name().equals("slow") ? 4 : 1));
            shares.merge(lookup.sibling().name(), 1, Integer::sum);
        }
        assertThat(shares.get("quick")).isGreaterThan(900);
    }

    @Test
    void stopsAskingALiar() throws IOException {
        Siblings siblings = new Siblings(TERMS);
        SiblingView liar = sibling(siblings, "liar", 0, 10_000);
        originCosts(siblings, 10);
        int asked = 0;
        for (int i = 0; i < 10_000; i++) {
            SiblingView.Lookup lookup = siblings.ask(page(i));
            if (lookup != null) {
                asked++;
                lookup.end(MISS);
            }
        }
        assertThat(asked).isBetween(1, 600);
        assertThat(action(liar, "/news")).isEqualTo(Guard.Action.NEVER);
        SiblingView.Report report = liar.report(0);
        assertThat(report.falseHits() + report.unsettled()).isEqualTo(asked);
        assertThat(report.hits()).isZero();
        Siblings trusting = new Siblings(TERMS.unguarded());
        sibling(trusting, "liar", 0, 100);
        for (int i = 0; i < 100; i++) {
            Objects.requireNonNull(trusting.ask(page(i))).end(MISS);
        }
        assertThat(trusting.all().get(0).report(0).unsettled()).isEqualTo(100);
    }

    @Test
    void stopsAskingOneThatIsSlowerThanTheOrigin() throws IOException {
        Siblings siblings = new Siblings(TERMS);
        SiblingView slow = sibling(siblings, "slow", 0, 5_000);
        originCosts(siblings, 10);
        for (int i = 0; i < 5_000; i++) {
            SiblingView.Lookup lookup = siblings.ask(page(i));
            if (lookup != null) {
                lookup.end(hit(30));
            }
        }
        assertThat(action(slow, "/news")).isEqualTo(Guard.Action.NEVER);
        assertThat(slow.report(0).hits()).isLessThan(400);
    }

    @Test
    void judgesGroupsApart() throws IOException {
        Siblings siblings = new Siblings(TERMS);
        SiblingView view = siblings.add("half");
        Holdings held = Holdings.of(KEY, "a", 4_000, 16, 1, sentence -> {});
        for (int i = 0; i < 2_000; i++) {
            held.stored("http://origin/good/" + i);
            held.stored("http://origin/bad/" + i);
        }
        held.publish();
        view.digested(held.since(0, 0), 1, 0);
        originCosts(siblings, 10);
        for (int i = 0; i < 2_000; i++) {
            SiblingView.Lookup good = siblings.ask("http://origin/good/" + i);
            if (good != null) {
                good.end(hit(1));
            }
            SiblingView.Lookup bad = siblings.ask("http://origin/bad/" + i);
            if (bad != null) {
                bad.end(MISS);
            }
        }
        assertThat(action(view, "/good")).isNotEqualTo(Guard.Action.NEVER);
        assertThat(action(view, "/bad")).isEqualTo(Guard.Action.NEVER);
    }

    @Test
    void namesTheGroupOfAPage() {
        assertThat(Terms.group("http://origin/news/1")).isEqualTo("/news");
        assertThat(Terms.group("http://origin/news/2024/1?x=/y/z")).isEqualTo("/news");
        assertThat(Terms.group("http://origin/index.html")).isEqualTo("/");
        assertThat(Terms.group("http://origin/search?q=a/b")).isEqualTo("/");
        assertThat(Terms.group("http://origin")).isEqualTo("/");
        assertThat(Terms.group("/news/1")).isEqualTo("/news");
        assertThat(Terms.group("")).isEqualTo("/");
    }

    /** Asked no more from the first failure on; its digest is tried after 1, 2, 4, … seconds and brings it back. */
    @Test
    void waitsOnceForADeadSibling() throws IOException {
        Siblings siblings = new Siblings(TERMS);
        SiblingView view = sibling(siblings, "dead", 0, 100);
        Objects.requireNonNull(siblings.ask(page(1))).end(new LookupOutcome.Failure(5 * SECOND));
        for (int i = 0; i < 100; i++) {
            assertThat(siblings.ask(page(i))).isNull();
        }
        long now = 5 * SECOND;
        for (long pause : new long[] {1, 2, 4, 8, 16, 32, 60, 60}) {
            assertThat(view.wantsDigest(now + pause * SECOND - 1)).isFalse();
            now += pause * SECOND;
            assertThat(view.wantsDigest(now)).isTrue();
            view.digestFailed(now);
        }
        assertThat(view.report(now).failures()).isEqualTo(9);
        view.digested(digest(0, 100), 1, now);
        assertThat(view.isDown()).isFalse();
        assertThat(siblings.ask(page(1))).isNotNull();
        assertThat(view.report(now + 7).digestAgeNanos()).isEqualTo(7);
    }

    /** Asks for pages until the sibling is asked for one; returns how many it took, and ends that lookup. */
    private static int requestsUntilAsked(Siblings siblings, int limit, LookupOutcome outcome) {
        for (int i = 1; i <= limit; i++) {
            SiblingView.Lookup lookup = siblings.ask(page(i % 100));
            if (lookup != null) {
                lookup.end(outcome);
                return i;
            }
        }
        throw new AssertionError("it was not asked in " + limit + " requests");
    }

    /** A sibling that has just started answers its first request slowly, and the few misses before it say nothing of hits. */
    @Test
    void oneSlowHitDoesNotEndAllLookups() throws IOException {
        Siblings siblings = new Siblings(TERMS);
        sibling(siblings, "cold", 0, 100);
        originCosts(siblings, 10);
        for (int i = 0; i < 12; i++) {
            requestsUntilAsked(siblings, 1, MISS);
        }
        requestsUntilAsked(siblings, 100, hit(20_000));
        int asked = 0;
        for (int i = 0; i < 1_000; i++) {
            SiblingView.Lookup lookup = siblings.ask(page(i % 100));
            if (lookup != null) {
                asked++;
                lookup.end(hit(1));
            }
        }
        assertThat(asked).isGreaterThan(700);
    }

    /** What was measured before a restart is not what the restarted sibling costs: it is asked at once. */
    @Test
    void asksARestartedSiblingAgain() throws IOException {
        Siblings siblings = new Siblings(TERMS);
        SiblingView view = slowSibling(siblings);
        Objects.requireNonNull(askUntilAsked(siblings)).end(new LookupOutcome.Failure(SECOND));
        view.digestFailed(2 * SECOND);
        view.digested(digest(0, 101), 1, 9 * SECOND);
        assertThat(requestsUntilAsked(siblings, 128, hit(1))).isBetween(1, 128);
        int asked = 0;
        for (int i = 0; i < 10_000; i++) {
            SiblingView.Lookup lookup = siblings.ask(page(i % 100));
            if (lookup != null) {
                asked++;
                lookup.end(hit(1));
            }
        }
        assertThat(asked).isGreaterThan(5_000);
    }

    private static SiblingView.@Nullable Lookup askUntilAsked(Siblings siblings) {
        for (int i = 0; i < 100_000; i++) {
            SiblingView.Lookup lookup = siblings.ask(page(i % 100));
            if (lookup != null) {
                return lookup;
            }
        }
        return null;
    }

    /** A sibling that has been asked often, and takes a hundred times as long as the origin. */
    private static SiblingView slowSibling(Siblings siblings) throws IOException {
        SiblingView view = sibling(siblings, "slow", 1, 100);
        originCosts(siblings, 10);
        for (int i = 0; i < 20_000; i++) {
            SiblingView.Lookup lookup = siblings.ask(page(i % 100));
            if (lookup != null) {
                lookup.end(hit(1_000));
            }
        }
        assertThat(action(view, "/news")).isEqualTo(Guard.Action.NEVER);
        return view;
    }

    /** However slow it was: one in 4,096 requests finds out whether it still is, with one sibling, and costs little. */
    @Test
    void exploresWhatTheGuardLeavesOut() throws IOException {
        Siblings siblings = new Siblings(TERMS);
        SiblingView view = slowSibling(siblings);
        long before = view.report(0).hits();
        int limit = 2 * Exploration.MAX_INTERVAL;
        for (int i = 0; i < 4; i++) {
            requestsUntilAsked(siblings, limit + 100, hit(1_000));
        }
        assertThat(view.report(0).hits()).isEqualTo(before + 4);
        // It has become quick: each lookup that shows it brings the next one sooner, until the guard believes it.
        int requests = 0;
        for (int i = 0; i < 64 && action(view, "/news") == Guard.Action.NEVER; i++) {
            requests += requestsUntilAsked(siblings, limit + 100, hit(1));
        }
        assertThat(action(view, "/news")).isNotEqualTo(Guard.Action.NEVER);
        assertThat(requests).isLessThan(3 * limit);
    }

    /**
     * A sibling that is restarted again and again is not given the benefit of the doubt each time: of 2,000 requests
     * it gets fewer than 200, most of them after the first restart.
     */
    @Test
    void aSiblingThatRestartsAllTheTimeIsMeasuredAsOne() throws IOException {
        Siblings siblings = new Siblings(TERMS);
        SiblingView view = slowSibling(siblings);
        long before = view.report(0).hits();
        for (int restart = 0; restart < 100; restart++) {
            view.digested(digest(restart + 2, restart + 102), 1, restart);
            for (int i = 0; i < 20; i++) {
                SiblingView.Lookup lookup = siblings.ask(page(restart + 10 + i));
                if (lookup != null) {
                    lookup.end(hit(1_000));
                }
            }
        }
        assertThat(view.report(0).hits() - before).isLessThan(200);
    }

    @Test
    void leavesOutASiblingWhoseDigestIsRefused() throws IOException {
        Siblings siblings = new Siblings(TERMS);
        SiblingView view = sibling(siblings, "odd", 0, 100);
        byte[] cut = Arrays.copyOf(digest(0, 200), 100);
        assertThatThrownBy(() -> view.digested(cut, 1, SECOND)).isInstanceOf(FormatException.class);
        assertThat(siblings.ask(page(1))).isNull();
        assertThat(view.digest()).as("the next one is asked for whole").isNull();
        assertThat(view.report(0).digestsRefused()).isEqualTo(1);
        assertThat(view.wantsDigest(2 * SECOND)).isTrue();
    }

    /** Pages 0 to 99 were in the first digest, 50 to 99 still are in the second: the sibling lied about them. */
    @Test
    void tellsStaleFromFalseByTheNextDigest() throws IOException {
        Siblings siblings = new Siblings(TERMS.unguarded());
        SiblingView view = sibling(siblings, "changing", 0, 100);
        for (int i = 0; i < 100; i++) {
            Objects.requireNonNull(siblings.ask(page(i))).end(MISS);
        }
        assertThat(view.report(0).unsettled()).isEqualTo(100);
        view.digested(digest(50, 150), 1, 0);
        SiblingView.Report report = view.report(0);
        assertThat(report.unsettled()).isZero();
        assertThat(report.staleHits()).isBetween(47L, 50L);
        assertThat(report.falseHits()).isEqualTo(100 - report.staleHits());
    }

    /** Where each digest costs 1 and 2 % of it is new: offers of gain 4 are worth every fifth, k = √(2 · 1 / (0.02/k · 4 · k)). */
    @Test
    void fetchesDigestsAsOftenAsTheyPay() {
        assertThat(every(0, 0.02)).isEqualTo(32);
        assertThat(every(400, 0.02)).isEqualTo(1);
        assertThat(every(4, 0.02)).isBetween(4.0, 6.0);
        FetchInterval fetchInterval = new FetchInterval();
        play(fetchInterval, 1_000, 0, 0.02);
        play(fetchInterval, 100, 400, 0.02);
        assertThat(fetchInterval.every()).as("interests have met").isEqualTo(1);
    }

    /** Offers of such a gain each, at each of which such a share of pages is new. */
    private static double every(double gain, double fresh) {
        FetchInterval fetchInterval = new FetchInterval();
        play(fetchInterval, 1_000, gain, fresh);
        return fetchInterval.every();
    }

    private static void play(FetchInterval fetchInterval, int offers, double gain, double fresh) {
        int since = 0;
        for (int i = 0; i < offers; i++) {
            fetchInterval.gained(gain);
            since++;
            if (fetchInterval.takes()) {
                fetchInterval.paid(1, fresh * since);
                since = 0;
            }
        }
    }
}
