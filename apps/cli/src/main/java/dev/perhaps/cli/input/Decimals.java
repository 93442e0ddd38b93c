package dev.perhaps.cli.input;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;

/**
 * Reads numbers with decimals as whole numbers of the smallest unit, so that their sums are exact: with two decimals, 12.5 is 1250. What
 * becomes of a number with more decimals depends on the caller: it is refused, rounded, or a reason to begin again with more decimals.
 */
public final class Decimals implements Serializable {
    private static final long serialVersionUID = 1;

    /** More would leave too little of a long for the number itself. */
    public static final int MAX_PLACES = 9;

    private static final String NOT_WHOLE = "is not a whole number";

    /** What becomes of a number that has more decimals. */
    private enum Beyond {
        REFUSED,
        ROUNDED,
        FOUND
    }

    /** There are more decimals than were expected; everything must be read again with this number of them. */
    public static final class MoreFound extends RuntimeException {
        private final int places;

        MoreFound(int places) {
            super("a number has " + places + " decimals");
            this.places = places;
        }

        public int places() {
            return places;
        }
    }

    private final int places;
    private final Beyond beyond;
    private final String reason;

    private Decimals(int places, Beyond beyond, String reason) {
        this.places = places;
        this.beyond = beyond;
        this.reason = reason;
    }

    /** Whole numbers only. */
    public static Decimals none() {
        return refusing(0, NOT_WHOLE);
    }

    /** Numbers with more decimals are refused, for this reason; {@code %d} in it is the number of decimals. */
    public static Decimals refusing(int places, String reason) {
        return new Decimals(places, Beyond.REFUSED, reason);
    }

    /** Numbers with more decimals are rounded, halves away from zero. */
    public static Decimals rounding(int places) {
        return new Decimals(places, Beyond.ROUNDED, "");
    }

    /** Numbers with more decimals end the reading with {@link MoreFound}. */
    public static Decimals finding(int places) {
        return new Decimals(
                places,
                Beyond.FOUND,
                "has %d decimals, and at most " + MAX_PLACES + " are read: round it with --decimals");
    }

    public int places() {
        return places;
    }

    /** What 1 is read as. */
    public long unit() {
        return Numbers.powerOfTen(places);
    }

    /** The number that {@code [from, to)} is, in the smallest unit, or {@link Numbers#NONE}; {@link #problem} then says why. */
    long parse(byte[] bytes, int from, int to) {
        int written = Numbers.places(bytes, from, to);
        if (written > places && beyond != Beyond.ROUNDED) {
            if (beyond == Beyond.FOUND && written <= MAX_PLACES) {
                throw new MoreFound(written);
            }
            return Numbers.NONE;
        }
        return written < 0 ? Numbers.NONE : Numbers.parse(bytes, from, to, places);
    }

    /** The same, also of an IPv4 address, which is a number too. */
    public long parseOrAddress(byte[] bytes, int from, int to) {
        long number = parse(bytes, from, to);
        if (number != Numbers.NONE) {
            return number;
        }
        long address = Numbers.address(bytes, from, to);
        return address == Numbers.NONE ? Numbers.NONE : address * unit();
    }

    /** Why this text is not read, for a message that starts with it. */
    public String problem(String text) {
        byte[] bytes = text.strip().getBytes(StandardCharsets.UTF_8);
        int written = Numbers.places(bytes, 0, bytes.length);
        if (written < 0) {
            return reason.equals(NOT_WHOLE) ? NOT_WHOLE : "is not a number";
        }
        return written > places && beyond != Beyond.ROUNDED
                ? reason.replace("%d", Integer.toString(written))
                : "is too large";
    }
}
