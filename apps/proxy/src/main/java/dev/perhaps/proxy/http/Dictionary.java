package dev.perhaps.proxy.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a dictionary of structured fields (RFC 9651, section 3.2). Parameters and inner lists are checked and dropped. */
final class Dictionary {
    static final String TRUE = "?1";
    static final String FALSE = "?0";

    private static final Pattern KEY = Pattern.compile("[a-z*][a-z0-9_.*-]*");
    private static final Pattern BARE = Pattern.compile(
            "-?\\d{1,15}(?![\\d.])" // an integer
                    + "|-?\\d{1,12}\\.\\d{1,3}(?!\\d)" // a decimal number
                    + "|[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*" // a token
                    + "|:[A-Za-z0-9+/=]*:" // bytes
                    + "|\\?[01]" // true or false
                    + "|@-?\\d{1,15}(?![\\d.])"); // a date
    private static final Set<Character> BLANKS = Set.of(' ', '\t');

    private final String text;
    private int at;

    private Dictionary(String text) {
        this.text = text;
    }

    /**
     * The values by their keys, as they stand in the text; {@link #TRUE} where there is none. Of a key that comes twice the
     * last one counts.
     *
     * @return null if it is not a dictionary
     */
    static @Nullable Map<String, String> read(String text) {
        return new Dictionary(text.strip()).read();
    }

    private @Nullable Map<String, String> read() {
        Map<String, String> members = new LinkedHashMap<>();
        while (at < text.length()) {
            @Nullable String key = next(KEY);
            if (key == null) {
                return null;
            }
            @Nullable String value = skip('=') ? item() : TRUE;
            if (value == null || !parameters()) {
                return null;
            }
            members.put(key, value);
            blanks();
            if (at == text.length()) {
                return members;
            }
            if (!skip(',')) {
                return null;
            }
            blanks();
            if (at == text.length()) {
                return null; // a comma at the end
            }
        }
        return members;
    }

    private @Nullable String item() {
        if (!skip('(')) {
            return bare();
        }
        int from = at - 1;
        while (true) {
            while (skip(' ')) {
                assert at <= text.length();
            }
            if (skip(')')) {
                return text.substring(from, at);
            }
            if (bare() == null || !parameters()) {
                return null;
            }
            if (at == text.length() || text.charAt(at) != ' ' && text.charAt(at) != ')') {
                return null;
            }
        }
    }

    private boolean parameters() {
        while (skip(';')) {
            while (skip(' ')) {
                assert at <= text.length();
            }
            if (next(KEY) == null || skip('=') && bare() == null) {
                return false;
            }
        }
        return true;
    }

    private @Nullable String bare() {
        return at < text.length() && text.charAt(at) == '"' ? string() : next(BARE);
    }

    /** Character by character: a pattern of alternatives that repeat takes a frame of the stack for each. */
    private @Nullable String string() {
        for (int i = at + 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                String string = text.substring(at, i + 1);
                at = i + 1;
                return string;
            }
            boolean escapes = c == '\\' && i + 1 < text.length();
            if (escapes && (text.charAt(i + 1) == '"' || text.charAt(i + 1) == '\\')) {
                i++;
            } else if (c < ' ' || c > '~' || c == '\\') {
                return null;
            }
        }
        return null;
    }

    private @Nullable String next(Pattern pattern) {
        Matcher matcher = pattern.matcher(text).region(at, text.length());
        if (!matcher.lookingAt()) {
            return null;
        }
        at = matcher.end();
        return matcher.group();
    }

    private void blanks() {
        while (at < text.length() && BLANKS.contains(text.charAt(at))) {
            at++;
        }
    }

    private boolean skip(char c) {
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }
}
