package dev.perhaps.proxy.http;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** What belongs to one connection only and is not passed on (RFC 9110, section 7.6.1), and where a message has been (7.6.3). */
public final class Hops {
    private static final Set<String> OF_THE_CONNECTION = Set.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authenticate",
            "proxy-authentication-info",
            "proxy-authorization",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    /**
     * With these a client could have the origin make another page than the one whose key it is kept under, for everybody. A
     * proxy in front of the origin may be trusted to say them; a client is not.
     */
    private static final Set<String> CLAIMS = Set.of(
            "forwarded",
            "perhaps-sibling",
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-port",
            "x-forwarded-prefix",
            "x-forwarded-proto",
            "x-forwarded-scheme",
            "x-forwarded-server",
            "x-host",
            "x-original-url",
            "x-real-ip",
            "x-rewrite-url",
            "x-http-method",
            "x-http-method-override",
            "x-method-override");

    private Hops() {}

    /** What is passed on of a message. */
    public static Headers endToEnd(Headers headers) {
        Set<String> named = new HashSet<>(OF_THE_CONNECTION);
        for (String option : headers.list("Connection")) {
            named.add(option.toLowerCase(Locale.ROOT));
        }
        return headers.without(name -> named.contains(name.toLowerCase(Locale.ROOT)));
    }

    /** Whether a client claims with this field who it is, or what it really asks for. */
    public static boolean isClaim(String name) {
        return CLAIMS.contains(name.toLowerCase(Locale.ROOT));
    }

    /** Whether the message has been at the proxy of this name. */
    public static boolean wasAt(String name, Headers headers) {
        if (!headers.has("Via")) {
            return false;
        }
        for (String hop : headers.list("Via")) {
            int space = hop.indexOf(' ');
            if (space > 0 && (hop.substring(space + 1) + " ").startsWith(name + " ")) {
                return true;
            }
        }
        return false;
    }

    public static boolean has(Headers headers, String name, String member) {
        if (!headers.has(name)) {
            return false;
        }
        return headers.list(name).stream().anyMatch(member::equalsIgnoreCase);
    }
}
