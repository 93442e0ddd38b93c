package dev.perhaps.io;

import java.util.Locale;

/** Formats numbers for people: with thousands separators and units. */
public final class Figures {
    private static final String[] BYTE_UNITS = {"byte", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private Figures() {}

    public static String count(long n) {
        return String.format(Locale.ROOT, "%,d", n);
    }

    /** A number of things, whose plural is formed with an s: {@code 1 item}, {@code 2,000 items}. */
    public static String count(long n, String thing) {
        return count(n) + " " + thing + (n == 1 ? "" : "s");
    }

    public static String bytes(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? count(bytes, "byte") : significant(value) + " " + BYTE_UNITS[unit];
    }

    /** A share of one, in percent, to three significant digits. */
    public static String percent(double share) {
        return significant(share * 100) + " %";
    }

    /** Three significant digits, without an exponent where a person would write none. */
    public static String significant(double value) {
        if (value == 0 || !Double.isFinite(value)) {
            return value == 0 ? "0" : Double.toString(value);
        }
        int digits = 2 - (int) Math.floor(Math.log10(Math.abs(value)));
        if (digits > 8) {
            return String.format(Locale.ROOT, "%.2e", value);
        }
        return String.format(Locale.ROOT, "%,." + Math.max(0, digits) + "f", value);
    }
}
