package dev.perhaps.cli.membership;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.input.Entry;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Checks records that hold many keys each, as a read of DNA holds k-mers: a record is known if the filter has at
 * least some share of its keys, else new. A record that holds no key at all is new.
 */
final class ShareCheck {
    private final HashFilter<?> filter;
    private final double leastShare;
    private long[] answers = new long[1];
    private long keys;
    private long keysFound;
    private long records;
    private long recordsKnown;

    ShareCheck(HashFilter<?> filter, double leastShare) {
        this.filter = filter;
        this.leastShare = leastShare;
    }

    /** Takes a piece; true if it was the last of its record, so that there is an answer. */
    boolean take(Entry entry) {
        int count = entry.hashCount();
        if (answers.length * 64L < count) {
            answers = new long[(count + 63) / 64];
        }
        keysFound += filter.mightContainHashes(entry.hashes(), 0, count, answers);
        keys += count;
        if (entry.last()) {
            records++;
            recordsKnown += isKnown() ? 1 : 0;
        }
        return entry.last();
    }

    boolean isKnown() {
        return keys > 0 && share() >= leastShare;
    }

    private double share() {
        return keys == 0 ? 0 : (double) keysFound / keys;
    }

    /** The answer for a record: its name, known or new, the share of its keys that is known. */
    String line(Entry entry) {
        return name(entry) + "\t" + (isKnown() ? "known" : "new") + "\t" + Figures.percent(share()) + "\t"
                + Console.count(keysFound) + " of " + Console.count(keys) + " k-mers";
    }

    String json(Entry entry) throws IOException {
        return Json.object(out -> {
            out.writeStringField("record", name(entry));
            out.writeBooleanField("known", isKnown());
            out.writeNumberField("share", share());
            out.writeNumberField("keysKnown", keysFound);
            out.writeNumberField("keys", keys);
        });
    }

    private static String name(Entry entry) {
        return new String(entry.bytes(), entry.from(), entry.to() - entry.from(), StandardCharsets.UTF_8);
    }

    void next() {
        keys = 0;
        keysFound = 0;
    }

    long known() {
        return recordsKnown;
    }

    long fresh() {
        return records - recordsKnown;
    }

    void printCounts(boolean json) throws IOException {
        double error = filter.errorNow();
        if (json) {
            Console.println(Json.object(out -> {
                out.writeNumberField("asked", records);
                out.writeNumberField("known", recordsKnown);
                out.writeNumberField("new", fresh());
                out.writeNumberField("error", error);
            }));
            return;
        }
        Console.println("asked    " + Console.count(records));
        Console.println("known    " + Console.count(recordsKnown) + "  (at least " + Figures.percent(leastShare)
                + " of the k-mers are in the set; " + Figures.percent(error) + " of the others are false positives)");
        Console.println("new      " + Console.count(fresh()));
    }
}
