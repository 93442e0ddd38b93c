package dev.perhaps.lab;

/** A question that is settled by measuring. The same conditions give the same findings, times excepted. */
public interface Experiment {
    /** The word it is run by, as in {@code perhaps lab run paradox}. */
    String name();

    /** What it shows, in a sentence. */
    String shows();

    Findings run(Conditions conditions);
}
