package dev.perhaps.proxy.http;

import java.util.Set;

/**
 * Whether a shared cache may keep a response (RFC 9111, section 3), and whether to keep it is of any use. Where the standard
 * leaves a choice, this keeps less:
 * <ul>
 *   <li>A response with Set-Cookie is kept only if it says {@code public} or {@code s-maxage}: it is made for one client, unless
 *       somebody thought about that.
 *   <li>A response to a request with Cookie must say itself how long it is fresh, or that it is public; nothing is guessed.
 *   <li>Parts (206) and responses to anything but GET are not kept.
 * </ul>
 */
public final class Storing {
    /** Those that may be kept without a word about it (RFC 9110, section 15.1), without 206. */
    private static final Set<Integer> BY_DEFAULT = Set.of(200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501);

    /** The statuses that this cache understands, as must-understand demands. */
    private static final Set<Integer> UNDERSTOOD =
            Set.of(200, 203, 204, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 500, 501, 502, 503, 504);

    private Storing() {}

    /** Returns true if the lifetime of this response may be guessed. */
    public static boolean mayGuess(int status, CacheControl says, Headers request) {
        return (BY_DEFAULT.contains(status) || says.isPublic()) && (says.isPublic() || !request.has("Cookie"));
    }

    /** Returns true if the response to a GET may be kept, given how fresh it is. */
    public static boolean allows(
            Headers request, CacheControl asked, int status, Headers response, CacheControl says, Freshness freshness) {
        if (status < 200 || status == 206 || status == 304) {
            return false;
        }
        boolean understood = says.mustUnderstand() && UNDERSTOOD.contains(status);
        if (says.mustUnderstand() && !understood || says.noStore() && !understood || asked.noStore()) {
            return false;
        }
        if (says.isPrivate() || Vary.of(response).everything()) {
            return false;
        }
        boolean forAll = says.isPublic() || says.sharedMaxAge() != CacheControl.NONE;
        if (request.has("Authorization") && !forAll && !says.mustRevalidate()) {
            return false; // section 3.5
        }
        if (response.has("Set-Cookie") && !forAll) {
            return false;
        }
        boolean explicit =
                forAll || says.maxAge() != CacheControl.NONE || response.has("Expires") && !says.isTargeted();
        if (!explicit && (!BY_DEFAULT.contains(status) || request.has("Cookie"))) {
            return false;
        }
        return freshness.leftSeconds(freshness.cameMillis()) > 0 || Validators.has(response);
    }
}
