package dev.perhaps.proxy.http;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** What belongs to one connection only and is not passed on (RFC 9110, section 7.6.1), and where a message has been (7.6.3). */
public final class HopByHop {
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
            "client-ip",
            "forwarded",
            "front-end-https",
            "perhaps-sibling",
            "proxy",
            "true-client-ip",
            "x-client-ip",
            "x-cluster-client-ip",
            "x-envoy-original-path",
            "x-host",
            "x-http-host-override",
            "x-http-method",
            "x-http-method-override",
            "x-method-override",
            "x-override-url",
            "x-real-ip",
            "x-rewrite-uri",
            "x-rewrite-url",
            "x-scheme",
            "x-url-scheme");

    /** So do all that begin like this. */
    private static final String FORWARDED = "x-forwarded-";

    private static final String ORIGINAL = "x-original-";

    private HopByHop() {}

    /** What is passed on of a message. */
    public static Headers endToEnd(Headers headers) {
        Set<String> named = new HashSet<>(OF_THE_CONNECTION);
        for (String option : headers.list("Connection")) {
            named.add(option.toLowerCase(Locale.ROOT));
        }
        return headers.without(name -> named.contains(name.toLowerCase(Locale.ROOT)));
    }

    /**
     * Whether a client claims with this field who it is, or what it really asks for. One with {@code _} in its name counts as
     * one: many servers take it for the field with {@code -} in its place, {@code X_Forwarded_Host} for
     * {@code X-Forwarded-Host}.
     */
    public static boolean isClaim(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.indexOf('_') >= 0
                || lower.startsWith(FORWARDED)
                || lower.startsWith(ORIGINAL)
                || CLAIMS.contains(lower);
    }

    /** Returns true if the message has been at the proxy of this name. */
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
