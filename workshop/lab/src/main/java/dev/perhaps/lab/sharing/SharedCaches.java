package dev.perhaps.lab.sharing;

import dev.perhaps.guard.Costs;
import dev.perhaps.key.Key;
import dev.perhaps.proxy.LookupOutcome;
import dev.perhaps.proxy.sharing.DigestCopy;
import dev.perhaps.proxy.sharing.Holdings;
import dev.perhaps.proxy.sharing.SiblingView;
import dev.perhaps.proxy.sharing.Siblings;
import dev.perhaps.proxy.sharing.Terms;
import dev.perhaps.sketch.FormatException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Simulates proxies that share their caches, with the classes that real proxies use for sharing. */
final class SharedCaches {
    /*
     * What things cost, in requests to a sibling next door:
     *     the origin        10 per request, 1 per KiB of the page
     *     a sibling          1 per request (the scenario's distance), 0.1 per KiB of the page or of its digest
     *     asking everybody   0.1 per query, which is a datagram
     * A page that came from a sibling is kept, too. Digests are offered to all siblings when they are published; what
     * an offer costs is left out, for a real sibling looks by itself, at intervals.
     */
    private static final double ORIGIN = 10;
    private static final double ORIGIN_KIB = 1;
    private static final double SIBLING_KIB = 0.1;
    private static final double QUERY = 0.1;
    private static final double KIB = 1_024;

    /** How a page that is not here is looked for. */
    enum Policy {
        NO_SHARING,
        ALWAYS_TRUST,
        GUARD,
        ASK_EVERYBODY
    }

    /** What was counted. */
    static final class Counts {
        long requests;
        long local;
        long remote;
        long falseHits;
        long staleHits;
        long queries;
        long digests;
        long digestBytes;
        double cost;

        /** Takes in what was counted in another run. */
        void add(Counts other) {
            requests += other.requests;
            local += other.local;
            remote += other.remote;
            falseHits += other.falseHits;
            staleHits += other.staleHits;
            queries += other.queries;
            digests += other.digests;
            digestBytes += other.digestBytes;
            cost += other.cost;
        }

        double hitRate() {
            return (double) (local + remote) / requests;
        }

        /** Messages between proxies per request: pages asked for, queries, digests. */
        double messages() {
            return (double) (queries + (queries > 0 ? 0 : remote) + falseHits + staleHits + digests) / requests;
        }

        /** Bytes of digests per request. */
        double digestBytesEach() {
            return (double) digestBytes / requests;
        }

        double wasted() {
            return (double) (falseHits + staleHits) / requests;
        }

        double costEach() {
            return cost / requests;
        }
    }

    private final SharingScenario scenario;
    private final Policy policy;
    private final PageTrace trace;
    private final List<Proxy> proxies = new ArrayList<>();
    private Counts counts = new Counts();
    private double distance = 1;

    private SharedCaches(SharingScenario scenario, Policy policy, long seed) {
        this.scenario = scenario;
        this.policy = policy;
        this.trace = new PageTrace(scenario.pages(), scenario.proxies(), scenario.churn(), seed);
        for (int i = 0; i < scenario.proxies(); i++) {
            proxies.add(new Proxy(i, seed));
        }
    }

    /**
     * Plays a scenario under a policy; the first fifth fills the caches and does not count. The same seed is the same
     * trace, whatever the policy.
     */
    static Counts play(SharingScenario scenario, Policy policy, long seed) {
        SharedCaches caches = new SharedCaches(scenario, policy, seed);
        int requests = scenario.requests();
        int warmUp = requests / 5;
        for (int i = 0; i < requests; i++) {
            if (i == warmUp) {
                caches.counts = new Counts();
            }
            double progress = (double) i / requests;
            caches.distance = scenario.distance().applyAsDouble(progress);
            Proxy proxy = caches.proxies.get(i % scenario.proxies());
            proxy.request(caches.trace.next(proxy.number, scenario.common().applyAsDouble(progress)));
        }
        caches.counts.requests = (long) requests - warmUp;
        return caches.counts;
    }

    private double fromOrigin(int page) {
        double cost = ORIGIN + ORIGIN_KIB * trace.bytes(page) / KIB;
        counts.cost += cost;
        return cost;
    }

    private double fromSibling(long bytes) {
        double cost = distance + SIBLING_KIB * bytes / KIB;
        counts.cost += cost;
        return cost;
    }

    private final class Proxy {
        private final int number;
        private final Set<Integer> cache = new LinkedHashSet<>();
        private final Holdings holdings;
        private final Siblings siblings;
        private final boolean liar;
        private int fresh;

        Proxy(int number, long seed) {
            this.number = number;
            this.liar = number < scenario.liars();
            Key<String> key = Key.strings().seeded(seed);
            Terms terms = Terms.usual(key)
                    .fetched(scenario.fetches())
                    .costs(0.0001, Costs.lookup(1).origin(ORIGIN));
            this.siblings = new Siblings(policy == Policy.GUARD ? terms : terms.unguarded());
            for (int other = 0; other < scenario.proxies(); other++) {
                if (other != number) {
                    siblings.add(name(other));
                }
            }
            int claimed = liar ? scenario.pages() : 0;
            this.holdings = Holdings.of(
                    key, "cache" + number, scenario.cached() + 1L + claimed, scenario.bits(), number + 1, told -> {});
            if (liar) {
                for (int page : trace.common()) {
                    holdings.stored(trace.url(page));
                }
            }
        }

        private static String name(int number) {
            return "proxy" + number;
        }

        void request(int page) {
            if (cache.remove(page)) {
                cache.add(page);
                counts.local++;
                return;
            }
            boolean found = switch (policy) {
                case NO_SHARING -> false;
                case ASK_EVERYBODY -> askEverybody(page);
                default -> askOne(page);
            };
            if (!found) {
                siblings.origin(fromOrigin(page));
            }
            store(page);
        }

        private boolean askEverybody(int page) {
            counts.queries += proxies.size() - 1;
            counts.cost += QUERY * (proxies.size() - 1);
            boolean found = proxies.stream().anyMatch(other -> other.cache.contains(page));
            if (found) {
                counts.remote++;
                fromSibling(trace.bytes(page));
            }
            return found;
        }

        /** True if the page came, from whomever. */
        private boolean askOne(int page) {
            SiblingView.Lookup lookup = siblings.ask(trace.url(page));
            if (lookup == null) {
                return false;
            }
            Proxy other = proxies.get(Integer.parseInt(lookup.sibling().name().substring(name(0).length() - 1)));
            if (other.cache.remove(page)) {
                other.cache.add(page);
                counts.remote++;
                lookup.end(new LookupOutcome.Hit(
                        new LookupOutcome.Cost(fromSibling(trace.bytes(page))), trace.bytes(page)));
                return true;
            }
            boolean stale = !other.holdings.mightHold(trace.url(page));
            if (stale) {
                counts.staleHits++;
            } else {
                counts.falseHits++;
            }
            if (scenario.fetches()) {
                // A request to the origin costs the sibling as much as it would have cost this proxy.
                lookup.end(new LookupOutcome.Miss(new LookupOutcome.Cost(fromSibling(trace.bytes(page)))));
                other.siblings.origin(fromOrigin(page));
                other.store(page);
                return true;
            }
            lookup.end(new LookupOutcome.Miss(new LookupOutcome.Cost(fromSibling(0))));
            return false;
        }

        private void store(int page) {
            cache.add(page);
            holdings.stored(trace.url(page));
            if (cache.size() > scenario.cached()) {
                int oldest = cache.iterator().next();
                cache.remove(oldest);
                if (!liar) {
                    holdings.removed(trace.url(oldest));
                }
            }
            boolean shares = policy == Policy.GUARD || policy == Policy.ALWAYS_TRUST;
            if (shares && ++fresh >= scenario.threshold() * scenario.cached()) {
                fresh = 0;
                publish();
            }
        }

        private void publish() {
            holdings.publish();
            for (Proxy other : proxies) {
                if (other != this) {
                    other.offered(this);
                }
            }
        }

        private void offered(Proxy sender) {
            SiblingView view = siblings.add(name(sender.number));
            if (!view.wantsDigest(0)) {
                return;
            }
            DigestCopy.State have = view.digest();
            byte[] message = sender.holdings.since(have == null ? 0 : have.epoch(), have == null ? 0 : have.version());
            counts.digests++;
            counts.digestBytes += message.length;
            try {
                view.digested(message, fromSibling(message.length), 0);
            } catch (FormatException e) {
                throw new IllegalStateException("a digest of our own was refused", e);
            }
        }
    }
}
