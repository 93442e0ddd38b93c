package dev.perhaps.proxy;

import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** What the proxy counts, and how a monitoring system reads it (the text format of Prometheus). Any number of threads. */
public final class Counters {
    /** Where an answer came from: exactly one for each request that was understood. */
    public enum Source {
        HIT,
        REVALIDATED,
        STALE,
        MISS,
        COALESCED,
        SIBLING,
        PASS,
        ERROR;

        private final String word = name().toLowerCase(Locale.ROOT);

        /** As it stands in figures and logs. */
        public String word() {
            return word;
        }
    }

    private record Figure(String type, String help, Map<String, LongSupplier> values) {}

    private final Map<Source, LongAdder> answers = new EnumMap<>(Source.class);
    private final LongAdder clientBytes = new LongAdder();
    private final LongAdder originBytes = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder broken = new LongAdder();
    private final Map<String, Figure> figures = new LinkedHashMap<>();

    public Counters() {
        for (Source source : Source.values()) {
            LongAdder count = new LongAdder();
            answers.put(source, count);
            add(
                    "perhaps_proxy_answers_total",
                    "counter",
                    "Answers by where they came from.",
                    "from=\"" + source.word() + "\"",
                    count::sum);
        }
        add("perhaps_proxy_client_bytes_total", "counter", "Bytes of bodies sent to clients.", "", clientBytes::sum);
        add(
                "perhaps_proxy_origin_bytes_total",
                "counter",
                "Bytes of bodies got from the origin.",
                "",
                originBytes::sum);
        add("perhaps_proxy_refused_total", "counter", "Requests that were refused as malformed.", "", refused::sum);
        add("perhaps_proxy_broken_total", "counter", "Answers that broke off half way.", "", broken::sum);
    }

    /**
     * Adds a figure to what is read, or another value of it.
     *
     * @param type {@code counter} or {@code gauge}
     * @param labels {@code name="value"}, or empty
     */
    public void add(String name, String type, String help, String labels, LongSupplier value) {
        synchronized (figures) {
            figures.computeIfAbsent(name, same -> new Figure(type, help, new LinkedHashMap<>()))
                    .values()
                    .put(labels, value);
        }
    }

    private LongAdder count(Source source) {
        return Objects.requireNonNull(answers.get(source));
    }

    public void answered(Source source) {
        count(source).increment();
    }

    public long answered(Collection<Source> sources) {
        return sources.stream().mapToLong(source -> count(source).sum()).sum();
    }

    public void sentToClient(long bytes) {
        clientBytes.add(bytes);
    }

    public void gotFromOrigin(long bytes) {
        originBytes.add(bytes);
    }

    public void refusedOne() {
        refused.increment();
    }

    public void brokeOff() {
        broken.increment();
    }

    /** All figures, as text. */
    public String text() {
        StringBuilder text = new StringBuilder();
        synchronized (figures) {
            figures.forEach((name, figure) -> {
                text.append("# HELP ")
                        .append(name)
                        .append(' ')
                        .append(figure.help)
                        .append('\n');
                text.append("# TYPE ")
                        .append(name)
                        .append(' ')
                        .append(figure.type)
                        .append('\n');
                figure.values.forEach((labels, value) -> text.append(name)
                        .append(labels.isEmpty() ? "" : "{" + labels + "}")
                        .append(' ')
                        .append(value.getAsLong())
                        .append('\n'));
            });
        }
        return text.toString();
    }
}
