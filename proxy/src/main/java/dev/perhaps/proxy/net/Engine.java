package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Budget;
import dev.perhaps.proxy.Copy;
import dev.perhaps.proxy.Counters;
import dev.perhaps.proxy.Detour;
import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Origin;
import dev.perhaps.proxy.PageStore;
import dev.perhaps.proxy.Patience;
import dev.perhaps.proxy.Router;
import dev.perhaps.proxy.http.Target;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;

/** What all connections of a proxy have in common. */
final class Engine {
    private static final int VERSIONS = 1 << 12;

    private final AtomicLongArray versions = new AtomicLongArray(VERSIONS);
    final Origin origin;
    final String name;
    final boolean keepHost;
    final String scheme;
    final long staleSeconds;
    final Limits limits;
    final Patience patience;
    final InstantSource clock;
    final PageStore store;
    final Counters counters;
    final Detour detour;
    final Router inner;

    /** What bodies on their way into the cache may take together. */
    final Budget incoming;

    /** What clients may take together, each beyond a little that is its own. */
    final Budget memory;

    final Whereabouts whereabouts;
    final String hit;
    final byte[] hitStatus;

    /** Pages that are being fetched, and that others may wait for. */
    final ConcurrentHashMap<String, Fetch> flights = new ConcurrentHashMap<>();

    Engine(ProxyServer.Plan plan, PageStore store, Whereabouts whereabouts) {
        this.origin = plan.origin();
        this.name = plan.name();
        this.keepHost = plan.keepHost();
        this.scheme = plan.scheme();
        this.staleSeconds = plan.staleIfErrorSeconds();
        this.limits = plan.limits();
        this.patience = plan.patience();
        this.clock = plan.clock();
        this.store = store;
        this.counters = plan.counters();
        this.detour = plan.detour();
        this.inner = plan.inner();
        this.incoming = new Budget(incomingBytes(limits));
        this.memory = new Budget(limits.memoryBytes());
        this.whereabouts = whereabouts;
        this.hit = name + "; hit";
        this.hitStatus = ("Cache-Status: " + hit + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A quarter of the cache; two of the largest pages at least. */
    static long incomingBytes(Limits limits) {
        return Math.max(2 * limits.entryBytes(), limits.cacheBytes() / 4);
    }

    long now() {
        return clock.millis();
    }

    /** The URL of a page at the origin. With the client's host passed on, pages of different hosts are different pages. */
    String key(Target target) {
        return keepHost
                ? (origin.tls() ? "https://" : "http://") + target.host() + target.path()
                : origin.url() + target.path();
    }

    /** Changes whenever a page is invalidated, and sometimes with another one. */
    long version(String key) {
        return versions.get(key.hashCode() & VERSIONS - 1);
    }

    /** Keeps a copy, unless its page was invalidated since its version was this: then it may be from before that. */
    void put(String key, Copy copy, long version) {
        if (version(key) == version) {
            store.put(key, copy);
            if (version(key) != version) {
                store.remove(key); // invalidated in between: whoever did it may have come too early to remove it
            }
        } else {
            store.left(copy);
        }
    }

    /** Forgets a page, and sees to it that no answer under way brings the old one back. */
    void invalidate(String key) {
        versions.incrementAndGet(key.hashCode() & VERSIONS - 1);
        flights.remove(key);
        store.remove(key);
    }
}
