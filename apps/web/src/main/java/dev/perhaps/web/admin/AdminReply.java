package dev.perhaps.web.admin;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** What an {@link AdminPage} replies; length, caching and security headers are added. Immutable. */
public final class AdminReply {
    private static final String JSON = "application/json";

    private final int status;
    private final String type;
    private final byte[] body;

    private AdminReply(int status, String type, byte[] body) {
        this.status = status;
        this.type = type;
        this.body = body;
    }

    /** Returns a reply with a JSON text. */
    public static AdminReply json(String text) {
        return of(JSON, text);
    }

    /** Returns a reply with a JSON object of these fields. */
    public static AdminReply json(Consumer<JsonText> fields) {
        return of(JSON, JsonText.object(fields));
    }

    /** Returns a reply with a page; see {@link HtmlText} for what comes from elsewhere. */
    public static AdminReply html(String page) {
        return of("text/html; charset=utf-8", page);
    }

    /** Returns a reply with plain text. */
    public static AdminReply text(String text) {
        return of("text/plain; charset=utf-8", text);
    }

    /** Returns a reply with a text, in UTF-8, of this media type. */
    public static AdminReply of(String type, String text) {
        return new AdminReply(200, type, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a reply that says in JSON what is wrong: {@code {"error": …}}. */
    static AdminReply error(int status, String reason) {
        return json(json -> json.field("error", reason)).status(status);
    }

    /** Returns the same reply with another status (default: 200). */
    public AdminReply status(int code) {
        if (code < 200 || code > 599) {
            throw new IllegalArgumentException("a status is in 200..599, got " + code);
        }
        return new AdminReply(code, type, body);
    }

    int status() {
        return status;
    }

    String type() {
        return type;
    }

    /** Shared, not copied: a reply is written once. */
    byte[] body() {
        return body;
    }
}
