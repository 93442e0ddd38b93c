package dev.perhaps.web.metrics;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;

/**
 * The figures of a program: counters that it increments, and values that are read when a monitoring system asks. {@link
 * #text} writes all of them in the text format of Prometheus. Counting takes no lock and allocates nothing.
 * Thread-safe.
 *
 * <pre>{@code
 * Metrics metrics = new Metrics();
 * Metrics.Counter hits = metrics.counter("perhaps_x_answers_total", "Answers by source.", Metrics.label("from", "hit"));
 * metrics.gauge("perhaps_x_pages", "Pages in the cache.", cache::size);
 * hits.increment();
 * }</pre>
 */
public final class Metrics {
    /*
     *     family   name, type, help             # HELP and # TYPE, once
     *       series   labels → value             a line each, in the order of registration
     *
     * Values are doubles, as Prometheus has them; whole ones up to 2^53 are written without a fraction. Values that belong
     * together come from a Group, which takes one snapshot per call of text(): they then agree with each other, and a snapshot
     * that costs something is taken once. Closing a group removes its series, so that what no longer exists is not reported, nor
     * kept in memory.
     *
     * docs/decisions/metrics.md says why this is not a library.
     */

    /** The media type of {@link #text}. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final int MAX_SERIES = 10_000;
    private static final double MAX_WHOLE = 1L << 53;
    private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
    private static final Pattern LABEL = Pattern.compile("(?!__)[a-zA-Z_][a-zA-Z0-9_]*");

    private final Map<String, Family> families = new LinkedHashMap<>();
    private int numberOfSeries;

    /** Creates a registry without any figures. */
    public Metrics() {}

    /** Distinguishes the series of one name, such as {@code from="hit"}; see {@link #label}. */
    public record Label(String name, String value) {
        /** Checks the name; the value may be any text. */
        public Label {
            if (!LABEL.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "a label is named with letters, digits and '_', no digit first, got '" + name + "'");
            }
        }
    }

    /** Returns a label. */
    public static Label label(String name, String value) {
        return new Label(name, value);
    }

    /** A number that only grows. Thread-safe; adding takes no lock and allocates nothing. */
    public static final class Counter {
        private final LongAdder sum = new LongAdder();

        private Counter() {}

        /** Adds one. */
        public void increment() {
            sum.increment();
        }

        /** Adds this number, which is not negative. */
        public void add(long amount) {
            sum.add(amount);
        }

        /** Returns what was added so far. */
        public long sum() {
            return sum.sum();
        }
    }

    /** Takes a snapshot; it may wait, within a limit of its own. */
    @FunctionalInterface
    public interface Snapshot<S> {
        /** Returns the state as it is now. */
        S take() throws IOException;
    }

    /** Figures that are read from one snapshot of some state. Closing it removes them. */
    public final class Group<S> implements AutoCloseable {
        private final Snapshot<S> snapshot;
        private final List<Series> members = new ArrayList<>();

        private Group(Snapshot<S> snapshot) {
            this.snapshot = snapshot;
        }

        /** Adds a counter that is kept elsewhere; its name ends in {@code _total}. */
        @CanIgnoreReturnValue
        public Group<S> counter(String name, String help, ToDoubleFunction<S> value, Label... labels) {
            return add(Type.COUNTER, name, help, value, labels);
        }

        /** Adds a value that goes up and down. */
        @CanIgnoreReturnValue
        public Group<S> gauge(String name, String help, ToDoubleFunction<S> value, Label... labels) {
            return add(Type.GAUGE, name, help, value, labels);
        }

        private Group<S> add(Type type, String name, String help, ToDoubleFunction<S> value, Label... labels) {
            synchronized (families) {
                members.add(Metrics.this.add(type, name, help, scrape -> value.applyAsDouble(scrape.of(this)), labels));
            }
            return this;
        }

        @Override
        public void close() {
            synchronized (families) {
                members.forEach(Metrics.this::remove);
                members.clear();
            }
        }
    }

    private enum Type {
        COUNTER("counter"),
        GAUGE("gauge");

        private final String word;

        Type(String word) {
            this.word = word;
        }
    }

    private record Series(String family, String labels) {}

    private record Family(Type type, String help, Map<String, Value> values) {}

    @FunctionalInterface
    private interface Value {
        double read(Scrape scrape);
    }

    /** One call of {@link #text}: each group has one snapshot in it. */
    private static final class Scrape {
        private final IdentityHashMap<Group<?>, Object> snapshots = new IdentityHashMap<>();

        @SuppressWarnings("unchecked") // what is kept for a group is its own snapshot
        <S> S of(Group<S> group) {
            Object taken = snapshots.get(group);
            if (taken == null) {
                try {
                    taken = group.snapshot.take();
                } catch (IOException e) {
                    throw new UncheckedIOException(e.getMessage(), e);
                }
                snapshots.put(group, taken);
            }
            return (S) taken;
        }
    }

    /** Adds a counter and returns it; its name ends in {@code _total}. */
    public Counter counter(String name, String help, Label... labels) {
        Counter counter = new Counter();
        add(Type.COUNTER, name, help, scrape -> counter.sum(), labels);
        return counter;
    }

    /** Adds a counter that is kept elsewhere, and never falls; its name ends in {@code _total}. */
    public void counter(String name, String help, DoubleSupplier value, Label... labels) {
        add(Type.COUNTER, name, help, scrape -> value.getAsDouble(), labels);
    }

    /** Adds a value that goes up and down. */
    public void gauge(String name, String help, DoubleSupplier value, Label... labels) {
        add(Type.GAUGE, name, help, scrape -> value.getAsDouble(), labels);
    }

    /** Returns a group, still empty, whose figures are read from one snapshot per call of {@link #text}. */
    public <S> Group<S> group(Snapshot<S> snapshot) {
        return new Group<>(snapshot);
    }

    @CanIgnoreReturnValue
    private Series add(Type type, String name, String help, Value value, Label... labels) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "a metric is named with letters, digits, '_' and ':', no digit first, got '" + name + "'");
        }
        if (type == Type.COUNTER && !name.endsWith("_total")) {
            throw new IllegalArgumentException("the name of a counter ends in _total, got '" + name + "'");
        }
        String written = written(labels);
        synchronized (families) {
            Family family = families.get(name);
            if (family != null && (family.type != type || !family.help.equals(help))) {
                throw new IllegalArgumentException(name + " is already a " + family.type.word + " '" + family.help
                        + "', got a " + type.word + " '" + help + "'");
            }
            if (family != null && family.values.containsKey(written)) {
                throw new IllegalArgumentException(name + written + " is already there: use other labels");
            }
            if (numberOfSeries == MAX_SERIES) {
                throw new IllegalStateException(
                        "there are " + MAX_SERIES + " series already: close the groups that are no longer needed");
            }
            if (family == null) {
                family = new Family(type, help, new LinkedHashMap<>());
                families.put(name, family);
            }
            family.values.put(written, value);
            numberOfSeries++;
        }
        return new Series(name, written);
    }

    private void remove(Series series) {
        Family family = families.get(series.family);
        if (family != null && family.values.remove(series.labels) != null) {
            numberOfSeries--;
            if (family.values.isEmpty()) {
                families.remove(series.family);
            }
        }
    }

    /**
     * Returns all figures in the text format of Prometheus, version 0.0.4.
     *
     * @throws UncheckedIOException if the snapshot of a group cannot be taken
     */
    public String text() {
        StringBuilder text = new StringBuilder(4_096);
        Scrape scrape = new Scrape();
        // Values are read without the lock: a snapshot may wait, and adding a figure should not.
        copy().forEach((name, family) -> {
            text.append("# HELP ").append(name).append(' ');
            escape(family.help, false, text);
            text.append("\n# TYPE ")
                    .append(name)
                    .append(' ')
                    .append(family.type.word)
                    .append('\n');
            family.values.forEach((labels, value) -> {
                text.append(name).append(labels).append(' ');
                number(value.read(scrape), text);
                text.append('\n');
            });
        });
        return text.toString();
    }

    private Map<String, Family> copy() {
        synchronized (families) {
            Map<String, Family> copy = new LinkedHashMap<>();
            families.forEach((name, family) ->
                    copy.put(name, new Family(family.type, family.help, new LinkedHashMap<>(family.values))));
            return copy;
        }
    }

    private static String written(Label... labels) {
        if (labels.length == 0) {
            return "";
        }
        StringBuilder text = new StringBuilder("{");
        Set<String> names = new HashSet<>();
        for (Label label : labels) {
            if (!names.add(label.name)) {
                throw new IllegalArgumentException("label " + label.name + " is given twice");
            }
            text.append(text.length() == 1 ? "" : ",").append(label.name).append("=\"");
            escape(label.value, true, text);
            text.append('"');
        }
        return text.append('}').toString();
    }

    private static void escape(String value, boolean quoted, StringBuilder text) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '"' -> text.append(quoted ? "\\\"" : "\"");
                default -> text.append(c);
            }
        }
    }

    private static void number(double value, StringBuilder text) {
        if (Double.isInfinite(value)) {
            text.append(value > 0 ? "+Inf" : "-Inf");
        } else if (value == Math.rint(value) && Math.abs(value) <= MAX_WHOLE) {
            text.append((long) value);
        } else {
            text.append(value); // NaN is written like this too
        }
    }
}
