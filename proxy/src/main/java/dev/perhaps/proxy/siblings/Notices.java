package dev.perhaps.proxy.siblings;

import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Passes on sentences for whoever runs the proxy: without anything in them that a terminal would act on, since parts of them
 * come from others, and not more than a number per minute, since others may cause them. Safe for any number of threads.
 */
final class Notices implements Consumer<String> {
    static final int MAX_PER_MINUTE = 30;

    private static final int MAX_LETTERS = 500;
    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final Consumer<String> to;
    private final LongSupplier nanos;
    private long minuteNanos;
    private int told;
    private long leftOut;

    Notices(Consumer<String> to, LongSupplier nanos) {
        this.to = to;
        this.nanos = nanos;
        this.minuteNanos = nanos.getAsLong();
    }

    @Override
    public synchronized void accept(String sentence) {
        long now = nanos.getAsLong();
        if (now - minuteNanos >= MINUTE_NANOS) {
            minuteNanos = now;
            told = 0;
        }
        if (told == MAX_PER_MINUTE) {
            leftOut++;
            return;
        }
        told++;
        if (leftOut > 0) {
            to.accept(leftOut + " lines like those before were left out");
            leftOut = 0;
        }
        to.accept(escaped(sentence));
    }

    private static String escaped(String sentence) {
        StringBuilder text = new StringBuilder(sentence.length());
        int length = Math.min(MAX_LETTERS, sentence.length());
        for (int i = 0; i < length; i++) {
            char c = sentence.charAt(i);
            if (Character.isISOControl(c)
                    || Character.getType(c) == Character.FORMAT
                    || c == '\u2028'
                    || c == '\u2029') {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        return text.append(length < sentence.length() ? "..." : "").toString();
    }
}
