package dev.perhaps.proxy.net;

import dev.perhaps.proxy.CacheListener;
import dev.perhaps.proxy.Counters;
import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Origin;
import dev.perhaps.proxy.Router;
import dev.perhaps.proxy.SiblingLookup;
import dev.perhaps.proxy.Timeouts;
import dev.perhaps.web.ReloadingTls;
import io.netty.handler.ssl.ApplicationProtocolNames;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a proxy. Immutable: each method returns a new plan.
 *
 * <pre>{@code
 * ProxyPlan plan = ProxyServer.before(Origin.of("http://localhost:8000")).limits(Limits.ofCache(256 << 20));
 * }</pre>
 */
public final class ProxyPlan {
    // Never changed once a plan was returned: a method copies the plan, and changes the copy.
    private final Origin origin;
    private String name =
            "perhaps-" + Integer.toHexString(RandomGenerator.getDefault().nextInt());
    private boolean keepHost;
    private long staleIfErrorSeconds;
    private Limits limits = Limits.ofCache(256L << 20);
    private Timeouts timeouts = Timeouts.usual();
    private InstantSource clock = InstantSource.system();
    private Counters counters = new Counters();
    private CacheListener cacheListener = CacheListener.NONE;
    private SiblingLookup siblingLookup = SiblingLookup.NONE;
    private Router inner = new Router();
    private @Nullable ReloadingTls tls;
    private @Nullable ReloadingTls siblingTls;
    private @Nullable AccessLog accessLog;

    private ProxyPlan(Origin origin) {
        this.origin = origin;
    }

    private ProxyPlan(ProxyPlan other) {
        this.origin = other.origin;
        this.name = other.name;
        this.keepHost = other.keepHost;
        this.staleIfErrorSeconds = other.staleIfErrorSeconds;
        this.limits = other.limits;
        this.timeouts = other.timeouts;
        this.clock = other.clock;
        this.counters = other.counters;
        this.cacheListener = other.cacheListener;
        this.siblingLookup = other.siblingLookup;
        this.inner = other.inner;
        this.tls = other.tls;
        this.siblingTls = other.siblingTls;
        this.accessLog = other.accessLog;
    }

    /** Plans a proxy in front of an origin. */
    static ProxyPlan before(Origin origin) {
        return new ProxyPlan(origin);
    }

    /** The name of the proxy in Via and Cache-Status; it must differ from that of other proxies on the path. */
    public ProxyPlan name(String unique) {
        if (!unique.matches("[A-Za-z][A-Za-z0-9._-]{0,63}")) {
            throw new IllegalArgumentException(
                    "a name has letters, digits, '.', '_' and '-', a letter first, 64 at most, got '" + unique + "'");
        }
        ProxyPlan changed = new ProxyPlan(this);
        changed.name = unique;
        return changed;
    }

    /** Passes the client's Host on to the origin, and stores the pages of different hosts separately. */
    public ProxyPlan keepHost(boolean keep) {
        ProxyPlan changed = new ProxyPlan(this);
        changed.keepHost = keep;
        return changed;
    }

    /** How long a stale page may be served while the origin fails, if the page does not say it (stale-if-error). */
    public ProxyPlan staleIfErrorSeconds(long seconds) {
        ProxyPlan changed = new ProxyPlan(this);
        changed.staleIfErrorSeconds = seconds;
        return changed;
    }

    /** The limits on everything that clients and the origin can make the proxy keep in memory. */
    public ProxyPlan limits(Limits chosen) {
        ProxyPlan changed = new ProxyPlan(this);
        changed.limits = chosen;
        return changed;
    }

    /** How long to wait for clients and for the origin. */
    public ProxyPlan timeouts(Timeouts chosen) {
        ProxyPlan changed = new ProxyPlan(this);
        changed.timeouts = chosen;
        return changed;
    }

    /** The clock by which the age of pages is measured. */
    public ProxyPlan clock(InstantSource source) {
        ProxyPlan changed = new ProxyPlan(this);
        changed.clock = source;
        return changed;
    }

    /** The counters of the proxy, to which other parts of the program may add theirs. */
    public ProxyPlan counters(Counters shared) {
        ProxyPlan changed = new ProxyPlan(this);
        changed.counters = shared;
        return changed;
    }

    /** Returns this plan with a listener for pages that are stored and removed (default: none). */
    public ProxyPlan cacheListener(CacheListener listener) {
        ProxyPlan changed = new ProxyPlan(this);
        changed.cacheListener = listener;
        return changed;
    }

    /** Returns this plan with a lookup that finds siblings which may have a page (default: none). */
    public ProxyPlan siblingLookup(SiblingLookup through) {
        ProxyPlan changed = new ProxyPlan(this);
        changed.siblingLookup = through;
        return changed;
    }

    /** Pages that the proxy serves itself, in place of the pages of the origin with these paths. */
    public ProxyPlan inner(Router pages) {
        ProxyPlan changed = new ProxyPlan(this);
        changed.inner = pages;
        return changed;
    }

    /** Clients speak TLS, and in it HTTP/2 or HTTP/1.1. */
    public ProxyPlan tls(ReloadingTls.Plan files, Consumer<String> log) throws IOException {
        ProxyPlan changed = new ProxyPlan(this);
        changed.tls = files.applications(ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1)
                .open(log);
        return changed;
    }

    /**
     * Reaches the siblings that a {@link SiblingLookup} names over TLS: this proxy shows its certificate, and theirs
     * must be valid for the host that is dialled. It is closed with the proxy.
     */
    public ProxyPlan siblingTls(ReloadingTls own) {
        ProxyPlan changed = new ProxyPlan(this);
        changed.siblingTls = own;
        return changed;
    }

    /** Returns this plan with a log of client requests (default: none). */
    public ProxyPlan accessLog(AccessLog log) {
        ProxyPlan changed = new ProxyPlan(this);
        changed.accessLog = log;
        return changed;
    }

    /** Starts the proxy, listening at this address; port 0 takes a free one. */
    public ProxyServer listen(InetSocketAddress at) throws IOException {
        return new ProxyServer(this, at);
    }

    Origin origin() {
        return origin;
    }

    String name() {
        return name;
    }

    boolean keepHost() {
        return keepHost;
    }

    long staleIfErrorSeconds() {
        return staleIfErrorSeconds;
    }

    Limits limits() {
        return limits;
    }

    Timeouts timeouts() {
        return timeouts;
    }

    InstantSource clock() {
        return clock;
    }

    Counters counters() {
        return counters;
    }

    SiblingLookup siblingLookup() {
        return siblingLookup;
    }

    Router inner() {
        return inner;
    }

    /** How clients reach it. */
    String scheme() {
        return tls == null ? "http" : "https";
    }

    CacheListener cacheListener() {
        return cacheListener;
    }

    @Nullable
    ReloadingTls tls() {
        return tls;
    }

    @Nullable
    ReloadingTls siblingTls() {
        return siblingTls;
    }

    @Nullable
    AccessLog accessLog() {
        return accessLog;
    }
}
