package dev.perhaps.lab;

/**
 * An expectation of an experiment, and whether it held.
 *
 * @param claim what was expected
 * @param measured what was found
 * @param tolerance how far it may be off
 */
public record Expectation(String claim, String measured, String tolerance, boolean held) {
    /** Expects a value near another. */
    public static Expectation near(String claim, double measured, double expected, double tolerance, String format) {
        return new Expectation(
                claim,
                NumberFormats.format(format, measured),
                "within " + NumberFormats.format(format, tolerance) + " of " + NumberFormats.format(format, expected),
                Math.abs(measured - expected) <= tolerance);
    }

    public static Expectation atMost(String claim, double measured, double most, String format) {
        return new Expectation(
                claim,
                NumberFormats.format(format, measured),
                "at most " + NumberFormats.format(format, most),
                measured <= most);
    }

    public static Expectation atLeast(String claim, double measured, double least, String format) {
        return new Expectation(
                claim,
                NumberFormats.format(format, measured),
                "at least " + NumberFormats.format(format, least),
                measured >= least);
    }

    /** One line, the verdict first. */
    @Override
    public String toString() {
        return (held ? "held    " : "FAILED  ") + claim + ": " + measured + " (" + tolerance + ")";
    }
}
