package dev.perhaps.lab;

import java.util.List;

/** All experiments. */
public final class Lab {
    private static final List<Experiment> EXPERIMENTS = List.of(
            new ParadoxExperiment(),
            new DeletionExperiment(),
            new FalsePositives(),
            new BloomAgainstQuotient(),
            new GuardPhases(),
            new DiskDictionary(),
            new CacheSharing(),
            new ChordInvariant(),
            new ChordPaths(),
            new ChordLoad(),
            new ChordFailures(),
            new ChordJoins(),
            new ChordChurn(),
            new ChordMillion());

    private Lab() {}

    public static List<Experiment> experiments() {
        return EXPERIMENTS;
    }

    /**
     * The experiment of this name.
     *
     * @throws IllegalArgumentException if there is none; the message names all that there are
     */
    public static Experiment experiment(String name) {
        return EXPERIMENTS.stream()
                .filter(experiment -> experiment.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no experiment '" + name + "': take one of "
                        + String.join(
                                ", ", EXPERIMENTS.stream().map(Experiment::name).toList())));
    }
}
