package dev.perhaps.proxy.http;

import org.jspecify.annotations.Nullable;

/**
 * What a request asks for (RFC 9112, sections 3.2 and 3.3).
 *
 * @param path with the query, as it came; {@code *} for OPTIONS
 * @param host the authority, in lower case; empty if an old client names none
 */
public record Target(String path, String host) {
    private static final int MAX_HOST_LETTERS = 255 + 6;

    public static Target of(RequestHead head) throws BadMessage {
        @Nullable String host = head.headers().first("Host");
        if (head.headers().count("Host") > 1 || host == null && head.minorVersion() == 1) {
            throw new BadMessage(400, "a request has one field Host");
        }
        if (host != null) {
            checkHost(host);
        }
        String named = host == null ? "" : lower(host);
        String target = head.target();
        if (target.charAt(0) == '/') {
            return new Target(target, named);
        }
        if (target.equals("*") && head.method().equals("OPTIONS")) {
            return new Target(target, named);
        }
        int scheme = target.indexOf("://");
        if (scheme > 0 && lower(target.substring(0, scheme)).matches("https?")) {
            int slash = target.indexOf('/', scheme + 3);
            int question = target.indexOf('?', scheme + 3);
            int end = slash < 0 ? target.length() : slash;
            end = question < 0 ? end : Math.min(end, question);
            String authority = target.substring(scheme + 3, end);
            checkHost(authority);
            String path = target.substring(end);
            return new Target(path.startsWith("/") ? path : "/" + path, lower(authority));
        }
        throw new BadMessage(400, "a target begins with / or http://");
    }

    private static void checkHost(String host) throws BadMessage {
        boolean good = host.length() <= MAX_HOST_LETTERS;
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            good &= c >= '0' && c <= '9'
                    || c >= 'a' && c <= 'z'
                    || c >= 'A' && c <= 'Z'
                    || c == '.'
                    || c == '-'
                    || c == '_'
                    || c == ':'
                    || c == '['
                    || c == ']';
        }
        if (!good) {
            throw new BadMessage(400, "the host of a request is a name or an address, and perhaps a port");
        }
    }

    private static String lower(String text) {
        return text.toLowerCase(java.util.Locale.ROOT);
    }
}
