package dev.perhaps.server.operation;

import dev.perhaps.server.wire.WireNumbers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** A setting of {@code CONFIG}: a number with a range, or a word. Any thread may read it. */
public final class Setting {
    private static final long MAX_BYTES = Long.MAX_VALUE / 2;

    private final String name;
    private final boolean isReal;
    private final boolean isMemory;
    private final double least;
    private final double most;
    private final boolean isFixed;
    private final List<String> words;
    private volatile String text;
    private volatile double value;

    /** The most that it may be set to, of a memory; what is larger than {@link #clampedTo} becomes that. */
    private volatile long mostBytes = MAX_BYTES;

    private double clampedTo = Double.MAX_VALUE;

    private Setting(
            String name,
            String text,
            boolean isReal,
            boolean isMemory,
            double least,
            double most,
            boolean isFixed,
            List<String> words) {
        this.name = name;
        this.text = text;
        this.isReal = isReal;
        this.isMemory = isMemory;
        this.least = least;
        this.most = most;
        this.isFixed = isFixed;
        this.words = words;
        this.value = most >= least ? Double.parseDouble(text) : 0;
    }

    /** A whole number in this range. */
    public static Setting whole(String name, long value, long least, long most) {
        return new Setting(name, Long.toString(value), false, false, least, most, false, List.of());
    }

    /** A number of bytes, also with a unit: 100mb. */
    public static Setting memory(String name, long bytes) {
        return new Setting(name, Long.toString(bytes), false, true, 0, MAX_BYTES, false, List.of());
    }

    /** A rate in (0, 1); one above {@code clampedTo} becomes that. */
    public static Setting rate(String name, double value, double clampedTo) {
        Setting made = new Setting(name, Double.toString(value), true, false, 0, 1, false, List.of());
        made.clampedTo = clampedTo;
        return made;
    }

    /** A text that is shown, and may not be set. */
    public static Setting fixed(String name, String text) {
        return new Setting(name, text, false, false, 1, 0, true, List.of());
    }

    /** One of some words. */
    public static Setting word(String name, String text, List<String> words) {
        return new Setting(name, text, false, false, 1, 0, false, words);
    }

    /** Returns its name. */
    public String name() {
        return name;
    }

    /** Returns its value as it was set. */
    public String text() {
        return text;
    }

    /** Returns a whole number. */
    public long whole() {
        return (long) value;
    }

    /** Returns a rate. */
    public double real() {
        return value;
    }

    /** Returns true if it may not be set. */
    public boolean isFixed() {
        return isFixed;
    }

    /** Limits a number of bytes to what there is. */
    public void atMost(long bytes) {
        mostBytes = bytes;
    }

    /** Returns the most bytes that it may be set to. */
    public long mostBytes() {
        return mostBytes;
    }

    /** What is wrong with a value, or an empty text. */
    public String problem(byte[] word) {
        if (isFixed) {
            return new String(word, StandardCharsets.UTF_8).equals(text) ? "" : "can't set immutable config";
        }
        if (!words.isEmpty()) {
            return words.contains(new String(word, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT))
                    ? ""
                    : "argument(s) must be one of the following: " + String.join(", ", words);
        }
        if (isReal) {
            OptionalDouble number = WireNumbers.real(word);
            return number.isEmpty()
                    ? "Invalid value for `" + name + "`"
                    : number.getAsDouble() > least && number.getAsDouble() < most
                            ? ""
                            : String.format(
                                    Locale.ROOT, "Value for `%s` must be in the range (%f, %f)", name, least, most);
        }
        if (isMemory) {
            long bytes = WireNumbers.bytes(word).orElse(-1);
            if (bytes < 0 || bytes > MAX_BYTES) {
                return "argument must be a memory value";
            }
            return bytes <= mostBytes
                    ? ""
                    : "Java has memory for " + mostBytes + " bytes beside requests and snapshots: restart the server"
                            + " with more";
        }
        OptionalLong number = WireNumbers.integer(word);
        return number.isEmpty()
                ? "Invalid value for `" + name + "`"
                : number.getAsLong() >= least && number.getAsLong() <= most ? "" : outside((long) least, (long) most);
    }

    /** The problem of a whole number that is not in this range. */
    String outside(long least, long most) {
        return String.format(Locale.ROOT, "Value for `%s` must be in the range [%d, %d]", name, least, most);
    }

    /** Sets a value without a {@link #problem}. */
    public void set(byte[] word) {
        if (!isFixed) {
            String given = isMemory
                    ? Long.toString(WireNumbers.bytes(word).orElseThrow())
                    : new String(word, StandardCharsets.UTF_8);
            double number = words.isEmpty() ? Double.parseDouble(given) : 0;
            boolean isClamped = number > clampedTo;
            text = isClamped ? Double.toString(clampedTo) : words.isEmpty() ? given : given.toLowerCase(Locale.ROOT);
            value = isClamped ? clampedTo : number;
        }
    }
}
