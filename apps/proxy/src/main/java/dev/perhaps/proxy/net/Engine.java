package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.cache.Budget;
import dev.perhaps.proxy.cache.Copy;
import dev.perhaps.proxy.cache.PageStore;
import dev.perhaps.proxy.http.Target;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;

/** What all connections of a proxy have in common. */
final class Engine {
    private final Invalidations invalidations = new Invalidations();
    final ProxyPlan plan;
    final PageStore store;

    /** What bodies on their way into the cache may take together. */
    final Budget incoming;

    /** What clients may take together, each beyond a little that is its own. */
    final Budget memory;

    final OriginResolver originResolver;
    private final PageClock pageClock;
    final String hit;
    final byte[] hitStatus;

    /** Pages that are being fetched, and that others may wait for. */
    final ConcurrentHashMap<String, PageFetch> flights = new ConcurrentHashMap<>();

    Engine(ProxyPlan plan, PageStore store, OriginResolver originResolver) {
        this.plan = plan;
        this.store = store;
        this.incoming = new Budget(incomingBytes(plan.limits()));
        this.memory = new Budget(plan.limits().memoryBytes());
        this.originResolver = originResolver;
        this.pageClock = new PageClock(plan.clock());
        this.hit = plan.name() + "; hit";
        this.hitStatus = ("Cache-Status: " + hit + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A quarter of the cache; two of the largest pages at least. */
    static long incomingBytes(Limits limits) {
        return Math.max(2 * limits.entryBytes(), limits.cacheBytes() / 4);
    }

    /** The time of day, to compare dates with. */
    long now() {
        return plan.clock().millis();
    }

    /** The time by which pages grow old. */
    long pageMillis() {
        return pageClock.millis();
    }

    /** The URL of a page at the origin. With the client's host passed on, pages of different hosts are different pages. */
    String key(Target target) {
        return plan.keepHost()
                ? (plan.origin().tls() ? "https://" : "http://") + target.host() + target.path()
                : plan.origin().url() + target.path();
    }

    /** Returns the number of invalidations until now: what a fetch remembers when it begins. */
    long invalidations() {
        return invalidations.count();
    }

    /** Keeps a copy, unless its page was invalidated since its fetch began: then it may be from before that. */
    void put(String key, Copy copy, long since) {
        if (invalidations.contains(key, since)) {
            store.left(copy);
            return;
        }
        store.put(key, copy);
        if (invalidations.contains(key, since)) {
            store.remove(key); // invalidated in between, perhaps too early to remove it
        }
    }

    /** Forgets a page, and sees to it that no response under way brings the old one back. */
    void invalidate(String key) {
        invalidations.add(key);
        flights.remove(key);
        store.remove(key);
    }
}
