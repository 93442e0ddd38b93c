package dev.perhaps.proxy.http;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a request that a response depends on (RFC 9110, section 12.5.5; RFC 9111, section 4.1).
 *
 * @param names in lower case, in order, each once; {@code *} if it depends on more than the header
 */
public record Vary(List<String> names) {
    private static final Vary NOTHING = new Vary(List.of());

    public static Vary of(Headers response) {
        if (!response.has("Vary")) {
            return NOTHING;
        }
        return new Vary(response.list("Vary").stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .sorted()
                .distinct()
                .toList());
    }

    public boolean everything() {
        return names.contains("*");
    }

    /** What this request says in these fields, white space and the number of lines evened out. */
    public List<String> select(Headers request) {
        return names.stream().map(name -> selected(request, name)).toList();
    }

    /** Returns true if a request has the same values as the one that these values were selected from. */
    public boolean matches(List<String> values, Headers request) {
        for (int i = 0; i < names.size(); i++) {
            if (!values.get(i).equals(selected(request, names.get(i)))) {
                return false;
            }
        }
        return true;
    }

    /** Absent is another value than empty. */
    private static String selected(Headers request, String name) {
        @Nullable String value = request.joined(name);
        return value == null ? "-" : "=" + evened(value);
    }

    /** Without white space around commas. In one pass: a client chooses the value, and it may be long. */
    private static String evened(String value) {
        if (value.indexOf(',') < 0) {
            return value.strip();
        }
        StringBuilder text = new StringBuilder(value.length());
        int from = 0;
        for (int comma = value.indexOf(','); comma >= 0; comma = value.indexOf(',', from)) {
            text.append(value.substring(from, comma).strip()).append(',');
            from = comma + 1;
        }
        return text.append(value.substring(from).strip()).toString();
    }
}
