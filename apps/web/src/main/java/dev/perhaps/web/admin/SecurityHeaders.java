package dev.perhaps.web.admin;

import io.netty.handler.codec.http.HttpHeaders;

/**
 * Headers of every response: browsers load nothing from other hosts, run no other scripts, and show no page in a frame.
 */
final class SecurityHeaders {
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private SecurityHeaders() {}

    static void add(HttpHeaders headers) {
        headers.set("Content-Security-Policy", POLICY)
                .set("X-Content-Type-Options", "nosniff")
                .set("X-Frame-Options", "DENY")
                .set("Referrer-Policy", "no-referrer")
                .set("Cross-Origin-Resource-Policy", "same-origin")
                .set("Cross-Origin-Opener-Policy", "same-origin");
    }
}
