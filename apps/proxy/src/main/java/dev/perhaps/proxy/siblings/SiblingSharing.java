package dev.perhaps.proxy.siblings;

import dev.perhaps.key.Key;
import dev.perhaps.proxy.CacheListener;
import dev.perhaps.proxy.Counters;
import dev.perhaps.proxy.LookupOutcome;
import dev.perhaps.proxy.Router;
import dev.perhaps.proxy.SiblingLookup;
import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.sharing.Holdings;
import dev.perhaps.proxy.sharing.SiblingView;
import dev.perhaps.proxy.sharing.Siblings;
import dev.perhaps.proxy.sharing.Terms;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.StrangerLog;
import dev.perhaps.web.metrics.Metrics;
import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A proxy's part in sharing: it hears what the cache holds and publishes that, fetches the digests of its siblings, and says
 * for a page that is not here who else may have it. Its background work begins with {@link #start} and ends with
 * {@link #close}. Safe for any number of threads.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails in the background is told where it fails
public final class SiblingSharing implements CacheListener, SiblingLookup, Closeable {
    /*
     *     cache ── stored, removed ──> Holdings ──> DigestPage <── GET, signed ── siblings
     *     cache ── attempt(page) ────> Siblings ──> GET of the page at a sibling, signed, only-if-cached
     *     every interval: who are the siblings? publish; fetch the digests that are wanted
     *
     * Loops. A request that a sibling signed, or pretends to, is never passed on to another sibling. What is stored of a
     * sibling's response is stored by the cache, under the page it asked for.
     */
    private static final Set<Integer> STATUSES = Set.of(200, 203, 300, 301, 308, 404, 410);
    private static final int FETCHERS = 4;
    private static final int MAX_SIBLINGS = 256;

    private final SharingPlan plan;
    private final boolean certificates;
    private final List<SiblingDirectory> directories;
    private final IdentityHashMap<SiblingDirectory, Map<String, InetSocketAddress>> listed = new IdentityHashMap<>();
    private final Counters counters;
    private final Consumer<String> told;
    private final Terms terms;
    private final Holdings holdings;
    private final Siblings siblings;
    private final DigestPage page;
    private final DigestFetcher fetcher;
    private final Map<String, InetSocketAddress> addresses = new ConcurrentHashMap<>();
    private final Metrics.Group<SiblingSharing> own;
    private final Map<String, Metrics.Group<SiblingView.Report>> figures = new ConcurrentHashMap<>();
    private final Set<String> fetching = ConcurrentHashMap.newKeySet();
    private final Map<String, String> lastTrouble = new ConcurrentHashMap<>();
    private final ScheduledExecutorService clock;
    private final ExecutorService workers;

    /**
     * Prepares sharing.
     *
     * @param directories where siblings are listed; of two of one name, the one of the earlier directory counts
     * @param told gets messages for operators, each a sentence
     * @param tls what this proxy reaches its siblings with, which its server must have too: requests of siblings must then come
     *     with a certificate, besides the secret if there is one; null: without TLS
     */
    public SiblingSharing(
            SharingPlan plan,
            List<SiblingDirectory> directories,
            Counters counters,
            Consumer<String> told,
            @Nullable ReloadingTls tls) {
        this.plan = plan;
        this.certificates = tls != null;
        this.directories = List.copyOf(directories);
        this.counters = counters;
        this.told = new StrangerLog(told);
        SiblingSecret secret = plan.secret();
        Key<String> key = Key.strings().seeded(secret == null ? Key.DEFAULT_SEED : secret.derive("digest seed"));
        Terms usual = Terms.usual(key).fetched(plan.fetches());
        this.terms = plan.guarded() ? usual : usual.unguarded();
        this.holdings = Holdings.of(
                key, plan.name(), plan.documents(), plan.bitsPerDocument(), new SecureRandom().nextLong(), this.told);
        this.siblings = new Siblings(terms);
        this.page = new DigestPage(holdings, plan.origin(), secret, certificates);
        this.workers = Executors.newFixedThreadPool(FETCHERS, SiblingSharing::thread);
        this.clock = Executors.newSingleThreadScheduledExecutor(SiblingSharing::thread);
        this.fetcher = new DigestFetcher(plan, terms.maxDigestBytes(), workers, tls);
        this.own = counters.metrics().group(() -> this);
        SharingMetrics.ofDigest(own, holdings, page);
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "siblings");
        thread.setDaemon(true);
        return thread;
    }

    /** Adds the page from which siblings fetch digests. */
    public void addTo(Router inner) {
        inner.add(DigestPage.PATH, page);
    }

    /** Starts publishing and fetching digests. */
    public void start() {
        holdings.publish();
        clock.scheduleWithFixedDelay(
                OutOfMemoryGuard.guard(this::tick), 0, plan.intervalMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        clock.shutdownNow();
        workers.shutdownNow();
        own.close();
        figures.values().forEach(Metrics.Group::close);
        for (SiblingDirectory directory : directories) {
            try {
                directory.leave();
            } catch (IOException e) {
                told.accept(e.getMessage());
            }
        }
    }

    @Override
    public void stored(String key) {
        holdings.stored(key);
    }

    @Override
    public void removed(String key) {
        holdings.removed(key);
    }

    private void tick() {
        try {
            meet(lookUp());
            holdings.publish();
            for (SiblingView view : siblings.all()) {
                if (view.wantsDigest(System.nanoTime()) && fetching.add(view.name())) {
                    fetch(view);
                }
            }
        } catch (RuntimeException e) {
            trouble("", "digests cannot be exchanged: " + e);
        }
    }

    /** The siblings of all directories. One that fails does not make the others' siblings unknown. */
    private Map<String, InetSocketAddress> lookUp() {
        Map<String, InetSocketAddress> all = new LinkedHashMap<>();
        for (SiblingDirectory directory : directories) {
            try {
                listed.put(directory, directory.siblings());
            } catch (IOException | RuntimeException e) {
                trouble("", "the siblings cannot be found: " + e.getMessage());
            }
            listed.getOrDefault(directory, Map.of()).forEach(all::putIfAbsent);
        }
        return all;
    }

    /** Adds new siblings, and removes those that are no longer siblings. */
    private void meet(Map<String, InetSocketAddress> now) {
        for (SiblingView view : siblings.all()) {
            if (!now.containsKey(view.name())) {
                siblings.remove(view.name());
                addresses.remove(view.name());
                Metrics.Group<SiblingView.Report> gone = figures.remove(view.name());
                if (gone != null) {
                    gone.close();
                }
            }
        }
        now.forEach((name, address) -> {
            boolean known = addresses.containsKey(name);
            if (!name.equals(plan.name()) && (known || addresses.size() < MAX_SIBLINGS)) {
                addresses.put(name, address);
                SiblingView view = siblings.add(name);
                if (!known) {
                    figures.put(name, SharingMetrics.of(view, counters.metrics()));
                }
            }
        });
    }

    private void fetch(SiblingView view) {
        long started = System.nanoTime();
        InetSocketAddress at = addresses.get(view.name());
        if (at == null) {
            fetching.remove(view.name());
            return;
        }
        message(view, at).whenComplete((message, failure) -> {
            long now = System.nanoTime();
            try {
                if (failure != null) {
                    OutOfMemoryGuard.check(failure);
                    view.digestFailed(now);
                    trouble(
                            view.name(),
                            "the digest of sibling " + view.name() + " at " + text(at) + " cannot be fetched: "
                                    + reason(failure));
                } else {
                    view.digested(message, now - started, now);
                    if (lastTrouble.remove(view.name()) != null) {
                        told.accept("sibling " + view.name() + " is back");
                    }
                }
            } catch (FormatException e) {
                trouble(view.name(), "the digest of sibling " + view.name() + " is refused: " + e.getMessage());
            } finally {
                fetching.remove(view.name());
            }
        });
    }

    private CompletableFuture<byte[]> message(SiblingView view, InetSocketAddress at) {
        try {
            return fetcher.fetch(view, at);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e); // of this sibling; the others are fetched from
        }
    }

    private static String reason(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            if (cause instanceof ConnectException) {
                return "nobody listens there"; // what lies below it says less
            }
            cause = cause.getCause();
        }
        String message = cause.getMessage();
        return message == null || message.isEmpty() ? cause.getClass().getSimpleName() : message;
    }

    static String text(InetSocketAddress at) {
        return at.getHostString() + ":" + at.getPort();
    }

    /** Reports a problem, once until it changes. */
    private void trouble(String of, String sentence) {
        if (!sentence.equals(lastTrouble.put(of, sentence))) {
            told.accept(sentence);
        }
    }

    @Override
    public @Nullable Attempt attempt(String key, Headers request) {
        if (request.has(SiblingSecret.REQUEST)) {
            return null;
        }
        SiblingView.Lookup lookup = siblings.ask(key);
        if (lookup == null) {
            return null;
        }
        InetSocketAddress at = addresses.get(lookup.sibling().name());
        if (at == null) {
            lookup.end(new LookupOutcome.Withdrawal());
            return null;
        }
        return new SiblingAttempt(lookup, at, path(key));
    }

    @Override
    public void originResponded(LookupOutcome.Cost cost) {
        siblings.origin(cost.value());
    }

    @Override
    public boolean admits(String method, String path, Headers request, BooleanSupplier certified) {
        String header = request.first(SiblingSecret.REQUEST);
        if (header == null) {
            return true;
        }
        SiblingSecret secret = plan.secret();
        return (!certificates || certified.getAsBoolean())
                && (secret == null || secret.check(method, path, header, System.currentTimeMillis()) != null);
    }

    private static String path(String key) {
        int at = key.indexOf('/', key.indexOf("://") + 3);
        return at < 0 ? "/" : key.substring(at);
    }

    /** One lookup to a sibling. */
    private final class SiblingAttempt implements Attempt {
        private final SiblingView.Lookup lookup;
        private final InetSocketAddress at;
        private final String path;
        private volatile boolean had;

        SiblingAttempt(SiblingView.Lookup lookup, InetSocketAddress at, String path) {
            this.lookup = lookup;
            this.at = at;
            this.path = path;
        }

        @Override
        public String name() {
            return lookup.sibling().name();
        }

        @Override
        public InetSocketAddress address() {
            return at;
        }

        @Override
        public int timeoutMillis() {
            return plan.timeoutMillis();
        }

        @Override
        public void sign(Headers.Builder request) {
            if (!plan.fetches()) {
                request.add("Cache-Control", "only-if-cached");
            }
            SiblingSecret secret = plan.secret();
            String proof = secret == null
                    ? plan.name()
                    : secret.sign("GET", path, plan.name(), System.currentTimeMillis())
                            .header();
            request.set(SiblingSecret.REQUEST, proof);
        }

        @Override
        public boolean accepts(int status, Headers response) {
            had = STATUSES.contains(status) && isHit(response);
            return had || plan.fetches() && STATUSES.contains(status);
        }

        /** Returns true if the cache that responded, the last one in Cache-Status, had it (RFC 9211). */
        private static boolean isHit(Headers response) {
            var members = response.list("Cache-Status");
            if (members.isEmpty()) {
                return false;
            }
            String last = members.get(members.size() - 1);
            return Arrays.stream(last.split(";", -1))
                    .anyMatch(part -> part.strip().equals("hit"));
        }

        /** A page that the sibling had to fetch counts as a miss, since its digest was wrong. */
        @Override
        public void end(LookupOutcome outcome) {
            if (outcome instanceof LookupOutcome.Hit hit && !had) {
                lookup.end(new LookupOutcome.Miss(hit.cost()));
                return;
            }
            lookup.end(outcome);
            if (outcome instanceof LookupOutcome.Failure) {
                trouble(name(), "sibling " + name() + " at " + text(at) + " does not respond");
            }
        }
    }

    /** Returns the status of all siblings, for operators. */
    Status status() {
        long now = System.nanoTime();
        return new Status(
                plan.name(),
                holdings.documents(),
                holdings.bits(),
                holdings.version(),
                siblings.originCost(),
                siblings.all().stream()
                        .map(view -> new Status.Of(addresses.get(view.name()), view.report(now)))
                        .toList());
    }
}
