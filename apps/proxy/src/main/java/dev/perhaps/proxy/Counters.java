package dev.perhaps.proxy;

import dev.perhaps.web.metrics.Metrics;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** What the proxy counts, for its page of metrics. Thread-safe. */
public final class Counters {
    /** The source of a response: exactly one for each valid request. */
    public enum Source {
        /** A fresh copy in the cache. */
        HIT,
        /** A copy in the cache that was stale, and that the origin confirmed. */
        REVALIDATED,
        /** A copy in the cache that is stale, where the rules allow it. */
        STALE,
        /** The origin, for a request whose response may be stored. */
        MISS,
        /** The response to another client's request for the same page, which was already under way. */
        COALESCED,
        /** The cache of a sibling. */
        SIBLING,
        /** The origin, for a request that is not cacheable. */
        PASS,
        /** The proxy itself, which could not forward a response. */
        ERROR;

        private final String word = name().toLowerCase(Locale.ROOT);

        /** Returns its name in metrics and logs. */
        public String word() {
            return word;
        }
    }

    private final Metrics metrics = new Metrics();
    private final Map<Source, Metrics.Counter> responses = new EnumMap<>(Source.class);
    private final Metrics.Counter clientBytes;
    private final Metrics.Counter originBytes;
    private final Metrics.Counter refused;
    private final Metrics.Counter broken;

    /** Creates counters that are all 0. */
    public Counters() {
        for (Source source : Source.values()) {
            responses.put(
                    source,
                    metrics.counter(
                            "perhaps_proxy_responses_total",
                            "Responses by source.",
                            Metrics.label("from", source.word())));
        }
        clientBytes = metrics.counter("perhaps_proxy_client_bytes_total", "Bytes of bodies sent to clients.");
        originBytes = metrics.counter("perhaps_proxy_origin_bytes_total", "Bytes of bodies got from the origin.");
        refused = metrics.counter("perhaps_proxy_refused_total", "Requests that were refused as malformed.");
        broken = metrics.counter("perhaps_proxy_broken_total", "Responses that were aborted.");
    }

    /** Returns all metrics, including those that other parts of the proxy add. */
    public Metrics metrics() {
        return metrics;
    }

    private Metrics.Counter count(Source source) {
        return Objects.requireNonNull(responses.get(source));
    }

    /** Counts a response. */
    public void responded(Source source) {
        count(source).increment();
    }

    /** Returns the number of responses from these sources. */
    public long responses(Collection<Source> sources) {
        return sources.stream().mapToLong(source -> count(source).sum()).sum();
    }

    /** Counts bytes of a body that were sent to a client. */
    public void sentToClient(long bytes) {
        clientBytes.add(bytes);
    }

    /** Counts bytes of a body that were received from the origin. */
    public void gotFromOrigin(long bytes) {
        originBytes.add(bytes);
    }

    /** Counts a request that was refused as malformed. */
    public void refusedOne() {
        refused.increment();
    }

    /** Counts a response that was aborted. */
    public void brokeOff() {
        broken.increment();
    }

    /** All figures, as text. */
    public String text() {
        return metrics.text();
    }
}
