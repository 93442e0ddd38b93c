package dev.perhaps.lab;

/** A question that is answered by measuring. The same conditions give the same findings, except for times. */
public interface Experiment {
    /** Returns its name on the command line, as in {@code perhaps lab run paradox}. */
    String name();

    /** Returns what it shows, in one sentence. */
    String shows();

    Findings run(Conditions conditions);
}
