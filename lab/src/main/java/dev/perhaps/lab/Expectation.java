package dev.perhaps.lab;

/**
 * Something an experiment expected, and what came of it.
 *
 * @param claim what was expected
 * @param measured what was found
 * @param tolerance how far it may be off
 */
public record Expectation(String claim, String measured, String tolerance, boolean held) {
    /** Expects a value near another. */
    static Expectation near(String claim, double measured, double expected, double tolerance, String format) {
        return new Expectation(
                claim,
                Numbers.format(format, measured),
                "within " + Numbers.format(format, tolerance) + " of " + Numbers.format(format, expected),
                Math.abs(measured - expected) <= tolerance);
    }

    static Expectation atMost(String claim, double measured, double most, String format) {
        return new Expectation(
                claim, Numbers.format(format, measured), "at most " + Numbers.format(format, most), measured <= most);
    }

    static Expectation atLeast(String claim, double measured, double least, String format) {
        return new Expectation(
                claim,
                Numbers.format(format, measured),
                "at least " + Numbers.format(format, least),
                measured >= least);
    }

    /** One line, the verdict first. */
    @Override
    public String toString() {
        return (held ? "held    " : "FAILED  ") + claim + ": " + measured + " (" + tolerance + ")";
    }
}
