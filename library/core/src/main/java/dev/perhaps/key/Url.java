package dev.perhaps.key;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A URL in canonical form, split into its parts; {@link Urls} defines the form. */
record Url(String scheme, UrlHost host, String path, String query) {
    /*
     * Steps, in the order that the specification gives them:
     *     1. tabs and line ends go, spaces around the URL go, the fragment goes
     *     2. percent-escapes are resolved until none is left
     *     3. scheme, host, path and query are told apart; user name, password and port go
     *     4. the host (UrlHost) and the path are normalised, the query is not
     *     5. bytes up to 32 and from 127 on, # and % are escaped again
     *
     * During these steps a URL is bytes: a string holds one byte per char, so that %80 means that byte in any encoding.
     *
     * Step 2 in one pass: %25 may stand before digits that are escaped themselves, so a URL of n bytes could ask for
     * n/2 passes. But two escapes cannot overlap, so the order in which they are resolved does not matter: it is done
     * from left to right, looking back at the three bytes that were written last.
     *
     * Left out: what browsers forgive beyond the specification, as backslashes for slashes. A browser parses first.
     */
    private static final int MAX_SUFFIX_LABELS = 5;
    private static final int MAX_FOLDERS = 4;

    static Url parse(String url) {
        String text = bytesOf(url);
        text = unescape(withoutFragment(withoutLineEnds(text).strip()));

        String scheme = "http";
        int colon = text.indexOf(':');
        boolean namesScheme = isScheme(text, colon);
        if (namesScheme && text.startsWith("://", colon)) {
            scheme = text.substring(0, colon).toLowerCase(Locale.ROOT);
            text = text.substring(colon + 3);
        } else if (namesScheme && !isPort(text, colon + 1, endOfAuthority(text))) {
            throw refusal(url, "has no // after its scheme, so it names no host");
        }
        int end = endOfAuthority(text);
        int question = text.indexOf('?', end);
        String path = question < 0 ? text.substring(end) : text.substring(end, question);
        String query = question < 0 ? "" : text.substring(question);
        return new Url(
                scheme, UrlHost.of(hostIn(text.substring(0, end), url), url), escape(resolve(path)), escape(query));
    }

    String canonical() {
        return scheme + "://" + exact();
    }

    String exact() {
        return host.text() + path + query;
    }

    List<String> expressions() {
        List<String> hosts = hostSuffixes();
        List<String> paths = pathPrefixes();
        List<String> expressions = new ArrayList<>(hosts.size() * paths.size());
        for (String suffix : hosts) {
            for (String prefix : paths) {
                expressions.add(suffix + prefix);
            }
        }
        assert expressions.size() <= Urls.MAX_EXPRESSIONS;
        return expressions;
    }

    private List<String> hostSuffixes() {
        List<String> hosts = new ArrayList<>(MAX_SUFFIX_LABELS);
        String name = host.text();
        hosts.add(name);
        if (host.isAddress()) {
            return hosts;
        }
        int labels = 1 + (int) name.chars().filter(c -> c == '.').count();
        int start = 0;
        for (int left = labels - 1; left >= 2; left--) {
            start = name.indexOf('.', start) + 1;
            if (left <= MAX_SUFFIX_LABELS) {
                hosts.add(name.substring(start));
            }
        }
        return hosts;
    }

    private List<String> pathPrefixes() {
        List<String> paths = new ArrayList<>(MAX_FOLDERS + 2);
        paths.add(path + query);
        if (!query.isEmpty()) {
            paths.add(path);
        }
        int slash = 0;
        for (int folders = 0; folders < MAX_FOLDERS && slash >= 0; folders++) {
            String folder = path.substring(0, slash + 1);
            if (!folder.equals(path)) {
                paths.add(folder);
            }
            slash = path.indexOf('/', slash + 1);
        }
        return paths;
    }

    static IllegalArgumentException refusal(String url, String why) {
        return new IllegalArgumentException("the URL '" + Abbreviated.of(url) + "' " + why);
    }

    private static String bytesOf(String url) {
        for (int i = 0; i < url.length(); i++) {
            if (url.charAt(i) >= 0x80) {
                return new String(url.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
            }
        }
        return url;
    }

    private static String withoutLineEnds(String text) {
        return text.replace("\t", "").replace("\r", "").replace("\n", "");
    }

    private static String withoutFragment(String text) {
        int hash = text.indexOf('#');
        return hash < 0 ? text : text.substring(0, hash);
    }

    private static String unescape(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            out.append(text.charAt(i));
            // What an escape stood for may be the last digit of an escape before it.
            while (endsWithEscape(out)) {
                int at = out.length() - 3;
                char value = (char) (hex(out.charAt(at + 1)) << 4 | hex(out.charAt(at + 2)));
                out.setLength(at);
                out.append(value);
            }
        }
        return out.toString();
    }

    private static boolean endsWithEscape(StringBuilder out) {
        int at = out.length() - 3;
        return at >= 0 && out.charAt(at) == '%' && hex(out.charAt(at + 1)) >= 0 && hex(out.charAt(at + 2)) >= 0;
    }

    /** The value of a hexadecimal digit, and −1 of anything else; Character.digit would take digits beyond ASCII. */
    private static int hex(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }

    static String escape(String text) {
        StringBuilder out = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            appendEscaped(out, c, c <= 32 || c >= 127 || c == '#' || c == '%');
        }
        return out.toString();
    }

    static void appendEscaped(StringBuilder out, char c, boolean escaped) {
        if (escaped) {
            out.append('%')
                    .append(Character.toUpperCase(Character.forDigit(c >> 4, 16)))
                    .append(Character.toUpperCase(Character.forDigit(c & 15, 16)));
        } else {
            out.append(c);
        }
    }

    private static boolean isScheme(String text, int colon) {
        if (colon < 1 || !isLetter(text.charAt(0))) {
            return false;
        }
        for (int i = 1; i < colon; i++) {
            char c = text.charAt(i);
            if (!isLetter(c) && !isDigit(c) && c != '+' && c != '-' && c != '.') {
                return false;
            }
        }
        return true;
    }

    private static int endOfAuthority(String text) {
        int end = 0;
        while (end < text.length() && text.charAt(end) != '/' && text.charAt(end) != '?') {
            end++;
        }
        return end;
    }

    private static String hostIn(String authority, String url) {
        String host = authority.substring(authority.lastIndexOf('@') + 1);
        int colon = host.indexOf(':', host.startsWith("[") ? Math.max(0, host.indexOf(']')) : 0);
        if (colon >= 0) {
            if (!isPort(host, colon + 1, host.length())) {
                throw refusal(url, "has a port that is not a number");
            }
            host = host.substring(0, colon);
        }
        return host;
    }

    private static boolean isPort(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (!isDigit(text.charAt(i))) {
                return false;
            }
        }
        return from <= to;
    }

    /** Resolves /./ and /../, then makes one slash of several. */
    private static String resolve(String path) {
        List<String> parts = new ArrayList<>();
        String[] given = path.split("/", -1);
        for (int i = 1; i < given.length; i++) {
            boolean up = given[i].equals("..");
            if (up && !parts.isEmpty()) {
                parts.remove(parts.size() - 1);
            }
            boolean last = i == given.length - 1;
            if (!up && !given[i].equals(".")) {
                parts.add(given[i]);
            } else if (last) {
                // "/a/.." is the folder above: it ends with a slash.
                parts.add("");
            }
        }
        StringBuilder out = new StringBuilder(path.length() + 1).append('/');
        for (int i = 0; i < parts.size(); i++) {
            out.append(parts.get(i));
            if (i < parts.size() - 1 && out.charAt(out.length() - 1) != '/') {
                out.append('/');
            }
        }
        return out.toString();
    }

    private static boolean isLetter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
