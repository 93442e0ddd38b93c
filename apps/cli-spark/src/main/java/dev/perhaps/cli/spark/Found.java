package dev.perhaps.cli.spark;

import dev.perhaps.cli.engine.Engine;
import java.io.Serializable;
import java.util.Comparator;
import java.util.List;

/** What a task found while it read its split. */
record Found(int split, long hashes, long skipped, List<String> problems, List<String> warnings)
        implements Serializable {
    private static final long serialVersionUID = 1;

    /** What all tasks found, in the order of the inputs. */
    static Engine.Findings all(List<Found> tasks) {
        List<Found> sorted =
                tasks.stream().sorted(Comparator.comparingInt(Found::split)).toList();
        return new Engine.Findings(
                sorted.stream().mapToLong(Found::hashes).sum(),
                sorted.stream().mapToLong(Found::skipped).sum(),
                sorted.stream().flatMap(task -> task.problems.stream()).toList(),
                sorted.stream()
                        .flatMap(task -> task.warnings.stream())
                        .distinct()
                        .toList());
    }
}
