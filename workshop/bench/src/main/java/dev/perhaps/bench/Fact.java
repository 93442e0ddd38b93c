package dev.perhaps.bench;

/** A figure that is counted rather than timed. */
public enum Fact {
    BITS("bits per key"),
    ERROR("error"),
    LOOKUP_BYTES("bytes allocated per lookup"),
    ADD_BYTES("bytes allocated per add"),
    SIZE_OFF_PLAN("size off plan"),
    HEAP_TO_SIZE("heap over size"),
    BYTES("bytes"),
    MEAN_OVER("mean over-count"),
    MAX_OVER("max over-count"),
    RECALL("recall"),
    RMSE("root mean square error"),
    FULLEST("fullest node over mean");

    private static final double DEVIATIONS = 3;

    /** Bits per key are printed with two digits. */
    private static final double ROUNDING = 0.005;

    private final String words;

    Fact(String words) {
        this.words = words;
    }

    /** How far a measured value may be above the true one by chance: an error is measured on a sample. */
    double swing(double value) {
        return switch (this) {
            case ERROR -> DEVIATIONS * Math.sqrt(value * (1 - value) / Keys.ABSENTEES);
            case BITS -> ROUNDING;
            default -> 0;
        };
    }

    @Override
    public String toString() {
        return words;
    }
}
