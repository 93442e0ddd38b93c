package dev.perhaps.cli.frequency;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.BadRecords;
import dev.perhaps.cli.input.Entry;
import dev.perhaps.frequency.SlidingTopK;
import dev.perhaps.frequency.TopBytes;
import dev.perhaps.frequency.TopK;
import dev.perhaps.io.Figures;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/** Ranks the most frequent keys, of the whole input or of a sliding window. */
public interface Ranking {
    void add(Entry entry);

    /** Moves the time forward, even if no record came. */
    default void advanceTo(long millis) {}

    List<TopK.Ranked<byte[]>> top();

    /** Returns the number of decimals of the counts, which are in the smallest unit. */
    int decimals();

    /** Returns one line on what was counted, and with which error. */
    String summary();

    /** Returns true if a record counts; one with a negative count is bad. */
    private static boolean counts(Entry entry, int decimals, BadRecords bad) {
        if (entry.weight() >= 0) {
            return true;
        }
        bad.take(entry.where() + ": a count must be 0 or more, got " + Console.spoken(entry.weight(), decimals));
        return false;
    }

    /** Returns the error for a record whose count is refused, with its place in the input. */
    private static BadInput refused(Entry entry, IllegalArgumentException e) {
        return new BadInput(entry.where() + ": " + e.getMessage());
    }

    /** Returns a ranking of the whole input; {@code bad} gets the records that do not count. */
    static Ranking of(TopBytes top, int decimals, BadRecords bad) {
        return new Ranking() {
            @Override
            public void add(Entry entry) {
                if (!counts(entry, decimals, bad)) {
                    return;
                }
                try {
                    top.add(entry.keyBytes(), entry.keyFrom(), entry.keyTo(), entry.weight());
                } catch (IllegalArgumentException e) {
                    throw refused(entry, e);
                }
            }

            @Override
            public List<TopK.Ranked<byte[]>> top() {
                return top.top();
            }

            @Override
            public int decimals() {
                return decimals;
            }

            @Override
            public String summary() {
                return "of " + Console.spoken(top.total(), decimals) + " in total; " + trust(top.missed(), decimals);
            }
        };
    }

    private static String trust(long missed, int decimals) {
        return missed == 0
                ? "every key was counted"
                : "keys that are not listed have at most " + Console.spoken(missed, decimals)
                        + ", or less than those listed";
    }

    /** Returns a ranking of a sliding window, by the times in the records or by when they arrive. */
    static Ranking of(SlidingTopK<byte[]> top, boolean arrival, int decimals, BadRecords bad) {
        return new Ranking() {
            @Override
            public void add(Entry entry) {
                if (!counts(entry, decimals, bad)) {
                    return;
                }
                byte[] key = Arrays.copyOfRange(entry.keyBytes(), entry.keyFrom(), entry.keyTo());
                try {
                    top.add(key, entry.weight(), arrival ? System.currentTimeMillis() : entry.timeMillis());
                } catch (IllegalArgumentException e) {
                    throw refused(entry, e);
                }
            }

            @Override
            public void advanceTo(long millis) {
                if (arrival) {
                    top.advanceTo(millis);
                }
            }

            @Override
            public List<TopK.Ranked<byte[]>> top() {
                return top.top();
            }

            @Override
            public int decimals() {
                return decimals;
            }

            @Override
            public String summary() {
                if (top.total() == 0) {
                    return "of nothing: no record is in the window";
                }
                return "of " + Console.spoken(top.total(), decimals) + " since "
                        + Instant.ofEpochMilli(top.sinceMillis()) + "; "
                        + trust(top.merged().missed(), decimals)
                        + (top.late() == 0 ? "" : "; " + Figures.count(top.late()) + " came too late to count");
            }
        };
    }
}
