package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Copy;
import dev.perhaps.proxy.Detour;
import dev.perhaps.proxy.http.CacheControl;
import dev.perhaps.proxy.http.Framing;
import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.http.Hops;
import dev.perhaps.proxy.http.RequestHead;
import dev.perhaps.proxy.http.ResponseHead;
import dev.perhaps.proxy.http.Target;
import dev.perhaps.proxy.http.Validators;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks, as it is passed on.
 *
 * @param key the URL of the page at the origin
 * @param asked what the client says about caching
 * @param mayStore whether the answer may be stored, if it allows that: a GET of a whole page
 * @param plain whether anybody who has the page may answer, not only the origin
 * @param from the address of the client
 */
record Question(
        RequestHead head,
        Target target,
        Framing framing,
        String key,
        CacheControl asked,
        boolean mayStore,
        boolean plain,
        String from) {
    /** Whether what the answer allows is the same for everybody. */
    boolean forAll() {
        return !head.headers().has("Authorization") && !asked.noStore();
    }

    /** The head as it is sent. */
    byte[] bytes(Engine engine, @Nullable Copy validated, Detour.@Nullable Attempt attempt) {
        Headers passed = Hops.endToEnd(head.headers()).without(name -> dropped(name));
        Headers.Builder headers = new Headers.Builder();
        headers.add("Host", engine.keepHost && !target.host().isEmpty() ? target.host() : engine.origin.authority());
        passed.forEach(headers::add);
        if (validated != null) {
            Validators.ask(validated.headers(), headers);
        }
        headers.add("Via", "1." + head.minorVersion() + " " + engine.name);
        headers.add("X-Forwarded-For", from);
        if (engine.scheme.equals("https")) {
            headers.add(
                    "X-Forwarded-Proto", engine.scheme); // the same for all clients: pages need not be kept apart by it
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
        if (attempt != null) {
            attempt.sign(headers);
        }
        StringBuilder text = new StringBuilder(512);
        text.append(head.method()).append(' ').append(target.path()).append(" HTTP/1.1\r\n");
        Passing.write(headers.build(), text);
        return text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private boolean dropped(String name) {
        return Hops.isClaim(name)
                || name.equalsIgnoreCase("Host")
                || name.equalsIgnoreCase("Content-Length")
                || name.equalsIgnoreCase("Expect")
                || mayStore && Validators.isCondition(name);
    }

    /** The pages that are outdated after this answer to an unsafe method (RFC 9111, section 4.4). */
    List<String> invalidated(ResponseHead answer) {
        List<String> keys = new ArrayList<>(List.of(key));
        for (String name : List.of("Location", "Content-Location")) {
            String value = answer.headers().first(name);
            if (value != null) {
                String resolved = resolve(value);
                if (resolved != null) {
                    keys.add(resolved);
                }
            }
        }
        return keys;
    }

    /** Only pages of the same host: others are not this answer's to judge. */
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
