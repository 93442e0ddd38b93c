package dev.perhaps.cli.frequency;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.Json;
import dev.perhaps.frequency.TopK;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Prints the most frequent keys: rank, count (lower and upper bound if it is not exact) and key. */
final class TopTable {
    private TopTable() {}

    static void print(List<TopK.Ranked<byte[]>> top, int decimals, boolean json) throws IOException {
        List<String> margins = margins(top, decimals);
        for (int i = 0; i < top.size(); i++) {
            byte[] key = top.get(i).value();
            if (json) {
                Console.println(json(i + 1, top.get(i), decimals));
            } else {
                Console.print(margins.get(i));
                Console.printKey(key, 0, key.length);
                Console.print("\n");
            }
        }
    }

    /** Returns the text before each key, all of the same width. */
    static List<String> margins(List<TopK.Ranked<byte[]>> top, int decimals) {
        int width = 0;
        for (TopK.Ranked<byte[]> ranked : top) {
            width = Math.max(width, count(ranked, decimals).length());
        }
        int rankWidth = Integer.toString(top.size()).length();
        List<String> margins = new ArrayList<>();
        for (int i = 0; i < top.size(); i++) {
            margins.add(right(rankWidth, Integer.toString(i + 1)) + "  " + right(width, count(top.get(i), decimals))
                    + "  ");
        }
        return margins;
    }

    private static String right(int width, String text) {
        return " ".repeat(width - text.length()) + text;
    }

    private static String count(TopK.Ranked<byte[]> ranked, int decimals) {
        return ranked.isExact()
                ? Console.count(ranked.atMost(), decimals)
                : Console.range(ranked.atLeast(), ranked.atMost(), decimals);
    }

    private static String json(int rank, TopK.Ranked<byte[]> ranked, int decimals) throws IOException {
        return Json.object(out -> {
            out.writeNumberField("rank", rank);
            Json.number(out, "atLeast", ranked.atLeast(), decimals);
            Json.number(out, "atMost", ranked.atMost(), decimals);
            out.writeStringField("key", new String(ranked.value(), StandardCharsets.UTF_8));
        });
    }
}
