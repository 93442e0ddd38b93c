package dev.perhaps.proxy.net;

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

/** What all connections of a proxy have in common. */
final class Engine {
    final Origin origin;
    final String name;
    final boolean keepHost;
    final long staleSeconds;
    final Limits limits;
    final Patience patience;
    final InstantSource clock;
    final PageStore store;
    final Counters counters;
    final Detour detour;
    final Router inner;
    final Budget budget;
    final Destination toOrigin;
    final byte[] hitStatus;

    /** Pages that are being fetched, and that others may wait for. */
    final ConcurrentHashMap<String, Fetch> flights = new ConcurrentHashMap<>();

    Engine(ProxyServer.Plan plan, PageStore store, Destination toOrigin) {
        this.origin = plan.origin();
        this.name = plan.name();
        this.keepHost = plan.keepHost();
        this.staleSeconds = plan.staleIfErrorSeconds();
        this.limits = plan.limits();
        this.patience = plan.patience();
        this.clock = plan.clock();
        this.store = store;
        this.counters = plan.counters();
        this.detour = plan.detour();
        this.inner = plan.inner();
        this.budget = new Budget(Math.max(2 * limits.entryBytes(), limits.cacheBytes() / 4));
        this.toOrigin = toOrigin;
        this.hitStatus = ("Cache-Status: " + name + "; hit\r\n").getBytes(StandardCharsets.ISO_8859_1);
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

    /** Forgets a page, and sees to it that no answer under way brings the old one back. */
    void invalidate(String key) {
        Fetch fetch = flights.remove(key);
        if (fetch != null) {
            fetch.doom();
        }
        store.remove(key);
    }
}
