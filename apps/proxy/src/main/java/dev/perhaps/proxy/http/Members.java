package dev.perhaps.proxy.http;

import java.util.List;

/** Lists in header fields: members separated by commas, where a comma in quotes does not separate. */
final class Members {
    private Members() {}

    static void split(String value, List<String> into) {
        int from = 0;
        boolean quoted = false;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                add(value, from, i, into);
                from = i + 1;
            }
        }
        add(value, from, value.length(), into);
    }

    private static void add(String value, int from, int to, List<String> into) {
        String member = value.substring(from, to).strip();
        if (!member.isEmpty()) {
            into.add(member);
        }
    }
}
