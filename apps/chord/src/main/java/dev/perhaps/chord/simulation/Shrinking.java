package dev.perhaps.chord.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Shortens a history that fails as far as possible. */
public final class Shrinking {
    /*
     * Commands are left out, half of them, a quarter and so on down to one, as long as something still goes wrong; then the
     * weather is made better, one trouble after the other. What goes wrong may change on the way. [1]
     *
     * [1] Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input" (2002).
     */
    private static final int MAX_RUNS = 2_000;

    private final Protocol protocol;
    private final Predicate<Scenario> allowed;
    private Scenario best;
    private int runs;

    private Shrinking(Scenario scenario, Protocol protocol, Predicate<Scenario> allowed) {
        this.best = scenario;
        this.protocol = protocol;
        this.allowed = allowed;
    }

    /** The shortest history found, with what happened last. */
    public static Outcome of(Scenario failing, Protocol protocol) {
        return of(failing, protocol, scenario -> true);
    }

    /** The shortest history found among those that are allowed. */
    public static Outcome of(Scenario failing, Protocol protocol, Predicate<Scenario> allowed) {
        Shrinking shrinking = new Shrinking(failing, protocol, allowed);
        shrinking.leaveOut();
        shrinking.calm(weather ->
                new NetworkConditions(weather.leastMillis(), weather.spreadMillis(), 0, weather.doubledPerMille()));
        shrinking.calm(weather ->
                new NetworkConditions(weather.leastMillis(), weather.spreadMillis(), weather.lostPerMille(), 0));
        shrinking.calm(weather -> new NetworkConditions(10, 0, weather.lostPerMille(), weather.doubledPerMille()));
        shrinking.leaveOut();
        return Simulation.trace(shrinking.best, protocol);
    }

    /** The history as it is printed: what was done, what happened last, and what was wrong. */
    public static String history(Outcome outcome) {
        StringBuilder text = new StringBuilder();
        text.append(outcome.scenario()).append('\n');
        outcome.scenario().script().forEach(command -> text.append(command).append('\n'));
        text.append("what happened last:\n");
        outcome.trace().forEach(line -> text.append(line).append('\n'));
        return text.append(outcome.violation().orElse("nothing was wrong"))
                .append('\n')
                .toString();
    }

    private boolean fails(Scenario scenario) {
        return runs++ < MAX_RUNS
                && allowed.test(scenario)
                && Simulation.run(scenario, protocol).violation().isPresent();
    }

    private void leaveOut() {
        for (int size = Math.max(1, best.script().size() / 2); size >= 1; size /= 2) {
            for (int from = 0; from < best.script().size(); ) {
                List<Command> rest = new ArrayList<>(best.script());
                rest.subList(from, Math.min(rest.size(), from + size)).clear();
                Scenario shorter = best.withScript(rest);
                if (fails(shorter)) {
                    best = shorter;
                } else {
                    from += size;
                }
            }
        }
    }

    private void calm(UnaryOperator<NetworkConditions> change) {
        Scenario calmer = best.withWeather(change.apply(best.weather()));
        if (!calmer.weather().equals(best.weather()) && fails(calmer)) {
            best = calmer;
        }
    }
}
