package dev.perhaps.bench;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/** Everything that was measured, by row. */
public final class Results {
    private static final class Row {
        final Map<Measure, double[]> nanos = new EnumMap<>(Measure.class);
        final Map<Fact, Double> facts = new EnumMap<>(Fact.class);
        final Map<Fact, Quartiles> spreads = new EnumMap<>(Fact.class);
    }

    private final Map<String, Row> rows = new LinkedHashMap<>();
    private final Map<String, String> failures = new LinkedHashMap<>();

    /** Rows are reported in the order in which they first come. */
    void time(String row, Measure measure, double[] nanosPerRound) {
        row(row).nanos.put(measure, nanosPerRound);
    }

    public void fact(String row, Fact fact, double value) {
        row(row).facts.put(fact, value);
    }

    /** A fact that differs from seed to seed: it is the median of them. */
    public void fact(String row, Fact fact, double[] bySeed) {
        Quartiles spread = Quartiles.of(bySeed);
        fact(row, fact, spread.median());
        row(row).spreads.put(fact, spread);
    }

    private Row row(String name) {
        return rows.computeIfAbsent(name, fresh -> new Row());
    }

    /** The row could not be measured, for this reason. */
    public void failed(String row, String reason) {
        failures.put(row, reason);
    }

    /** The reason why a row could not be measured. */
    public Optional<String> failure(String row) {
        return Optional.ofNullable(failures.get(row));
    }

    public Set<String> rows() {
        return rows.keySet();
    }

    Optional<Quartiles> time(String row, Measure measure) {
        return nanos(row, measure).map(Quartiles::of);
    }

    public OptionalDouble fact(String row, Fact fact) {
        Row found = rows.get(row);
        Double value = found == null ? null : found.facts.get(fact);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    /** The quartiles of a fact that differs from seed to seed. */
    Optional<Quartiles> spread(String row, Fact fact) {
        Row found = rows.get(row);
        return found == null ? Optional.empty() : Optional.ofNullable(found.spreads.get(fact));
    }

    /** How many times faster {@code row} is than {@code peer}. */
    Optional<Quartiles> speed(String row, Measure measure, String peer) {
        return nanos(row, measure).flatMap(ours -> nanos(peer, measure).map(theirs -> Quartiles.ofRatio(ours, theirs)));
    }

    private Optional<double[]> nanos(String row, Measure measure) {
        Row found = rows.get(row);
        return found == null ? Optional.empty() : Optional.ofNullable(found.nanos.get(measure));
    }
}
