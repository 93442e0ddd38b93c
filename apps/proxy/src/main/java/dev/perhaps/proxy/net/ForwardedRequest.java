package dev.perhaps.proxy.net;

import dev.perhaps.proxy.SiblingLookup;
import dev.perhaps.proxy.cache.Copy;
import dev.perhaps.proxy.http.CacheControl;
import dev.perhaps.proxy.http.Framing;
import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.http.HopByHop;
import dev.perhaps.proxy.http.RequestHead;
import dev.perhaps.proxy.http.ResponseHead;
import dev.perhaps.proxy.http.Target;
import dev.perhaps.proxy.http.Validators;
import dev.perhaps.proxy.http.Vary;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A client's request, as it is forwarded to the origin or to a sibling.
 *
 * @param key the URL of the page at the origin
 * @param asked the client's Cache-Control
 * @param mayStore true if the response may be stored when it allows that: a GET of a whole page
 * @param plain true if a sibling that has the page may respond, not only the origin
 * @param sent the header as it is sent to the origin
 * @param client the address of the client, as {@link Addresses#key} writes it
 */
record ForwardedRequest(
        RequestHead head,
        Target target,
        Framing framing,
        String key,
        CacheControl asked,
        boolean mayStore,
        boolean plain,
        Headers sent,
        long client) {
    /** Fields that identify a client. They are sent to the origin only. */
    private static final Set<String> CREDENTIALS = Set.of(
            "cookie",
            "cookie2",
            "authorization",
            "api-key",
            "apikey",
            "x-api-key",
            "x-apikey",
            "x-access-token",
            "x-amz-security-token",
            "x-auth-key",
            "x-auth-token",
            "x-authorization",
            "x-csrf-token",
            "x-goog-api-key",
            "x-session-id",
            "x-session-token",
            "x-token",
            "x-user-token",
            "x-xsrf-token");

    /**
     * The rest of a page of which a part is here.
     *
     * @param totalBytes of the whole page; negative if it is not known
     */
    record Rest(String tag, long fromBytes, long totalBytes) {}

    static boolean isCredential(String name) {
        return CREDENTIALS.contains(name.toLowerCase(Locale.ROOT));
    }

    /**
     * The header of a request as it goes to the origin: without what belongs to the connection, what a client must not claim,
     * and what is added for this page only. What a response depends on ({@code Vary}) is looked up here, for it is all that
     * the origin sees.
     *
     * @param conditions whether the client's conditions go along
     * @param from the address of the client
     */
    static Headers sent(
            Engine engine, RequestHead head, Target target, Framing framing, boolean conditions, String from) {
        Headers.Builder headers = new Headers.Builder();
        headers.add(
                "Host",
                engine.plan.keepHost() && !target.host().isEmpty()
                        ? target.host()
                        : engine.plan.origin().authority());
        HopByHop.endToEnd(head.headers())
                .without(name -> HopByHop.isClaim(name)
                        || name.equalsIgnoreCase("Host")
                        || name.equalsIgnoreCase("Content-Length")
                        || name.equalsIgnoreCase("Expect")
                        || !conditions && Validators.isCondition(name))
                .forEach(headers::add);
        headers.add("Via", "1." + head.minorVersion() + " " + engine.plan.name());
        headers.add("X-Forwarded-For", from);
        if (engine.plan.scheme().equals("https")) {
            headers.add(
                    "X-Forwarded-Proto", engine.plan.scheme()); // the same for all clients: pages need not vary by it
        }
        switch (framing.kind()) {
            case CHUNKED -> headers.add("Transfer-Encoding", "chunked");
            case LENGTH -> {
                if (framing.lengthBytes() > 0 || head.headers().has("Content-Length")) {
                    headers.add("Content-Length", Long.toString(framing.lengthBytes()));
                }
            }
            case CLOSE -> throw new IllegalStateException("a request does not end with its connection");
        }
        return headers.build();
    }

    /** Returns true if the response may be shared by all clients. */
    boolean forAll() {
        return !head.headers().has("Authorization") && !asked.noStore();
    }

    /** The head as it is sent. */
    byte[] bytes(@Nullable Copy validated, SiblingLookup.@Nullable Attempt attempt, @Nullable Rest rest) {
        Headers.Builder headers = (attempt == null ? sent : sent.without(ForwardedRequest::isCredential)).edit();
        if (validated != null) {
            Validators.ask(validated.headers(), headers);
        }
        if (rest != null) {
            headers.set("Range", "bytes=" + rest.fromBytes + "-").set("If-Range", rest.tag);
        }
        if (attempt != null) {
            attempt.sign(headers);
            if (hasCredentials()) {
                headers.set("Cache-Control", "only-if-cached"); // what it would fetch without them is another page
            }
        }
        StringBuilder text = new StringBuilder(512);
        text.append(head.method()).append(' ').append(target.path()).append(" HTTP/1.1\r\n");
        HeadWriter.write(headers.build(), text);
        return text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private boolean hasCredentials() {
        boolean[] has = {false};
        sent.forEach((name, value) -> has[0] |= isCredential(name));
        return has[0];
    }

    /** Returns true if a response to the request without credentials is the response to the one with them. */
    boolean fitsWithoutCredentials(Headers response) {
        return Vary.of(response).names().stream().noneMatch(name -> isCredential(name) && sent.has(name));
    }

    /** The pages that are outdated after this response to an unsafe method (RFC 9111, section 4.4). */
    List<String> invalidated(ResponseHead response) {
        List<String> keys = new ArrayList<>(List.of(key));
        for (String name : List.of("Location", "Content-Location")) {
            String value = response.headers().first(name);
            if (value != null) {
                String resolved = resolve(value);
                if (resolved != null) {
                    keys.add(resolved);
                }
            }
        }
        return keys;
    }

    /** Only pages of the same host: this response cannot invalidate others. */
    private @Nullable String resolve(String location) {
        try {
            URI base = URI.create(key);
            URI resolved = base.resolve(location);
            return String.valueOf(base.getRawAuthority()).equalsIgnoreCase(resolved.getRawAuthority())
                    ? resolved.toString().replaceFirst("#.*", "")
                    : null;
        } catch (IllegalArgumentException e) {
            return null; // no URL: it names no page
        }
    }
}
