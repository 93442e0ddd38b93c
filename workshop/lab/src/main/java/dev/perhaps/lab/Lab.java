package dev.perhaps.lab;

import dev.perhaps.lab.filters.BloomAgainstQuotient;
import dev.perhaps.lab.filters.DeletionExperiment;
import dev.perhaps.lab.filters.FalsePositives;
import dev.perhaps.lab.guard.DiskDictionary;
import dev.perhaps.lab.guard.GuardPhases;
import dev.perhaps.lab.paradox.ParadoxExperiment;
import dev.perhaps.lab.ring.ChordChurn;
import dev.perhaps.lab.ring.ChordFailures;
import dev.perhaps.lab.ring.ChordInvariant;
import dev.perhaps.lab.ring.ChordJoins;
import dev.perhaps.lab.ring.ChordLoad;
import dev.perhaps.lab.ring.ChordMillion;
import dev.perhaps.lab.ring.ChordPaths;
import dev.perhaps.lab.sharing.CacheSharing;
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
