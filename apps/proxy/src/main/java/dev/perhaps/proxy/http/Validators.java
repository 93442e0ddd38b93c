package dev.perhaps.proxy.http;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** ETag and Last-Modified: validates responses, and evaluates conditions of requests (RFC 9110, sections 8.8 and 13). */
public final class Validators {
    private static final Set<String> CONDITIONS =
            Set.of("if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range");

    /**
     * Fields of a 304 that do not replace the stored ones: they describe the stored bytes, which a 304 leaves as they are (RFC 9111,
     * section 3.2). Content-Type only says how to read them, so it is replaced.
     */
    private static final Set<String> OF_THE_BODY = Set.of(
            "content-length",
            "content-encoding",
            "content-range",
            "content-md5",
            "content-digest",
            "repr-digest",
            "digest",
            "transfer-encoding",
            "age");

    private Validators() {}

    public static boolean has(Headers response) {
        return response.has("ETag") || response.has("Last-Modified");
    }

    public static boolean isCondition(String name) {
        return CONDITIONS.contains(name.toLowerCase(Locale.ROOT));
    }

    /** Conditions that a cache must leave to the origin (RFC 9111, section 4.3.2). */
    public static boolean onlyForOrigin(Headers request) {
        return request.has("If-Match") || request.has("If-Unmodified-Since");
    }

    /** Asks whether the response with this header still holds. */
    public static void ask(Headers stored, Headers.Builder request) {
        @Nullable String tag = stored.first("ETag");
        if (tag != null) {
            request.set("If-None-Match", tag);
        }
        @Nullable String changed = stored.first("Last-Modified");
        if (changed != null) {
            request.set("If-Modified-Since", changed);
        }
    }

    /** Returns true if a 304 speaks of the response with this header (RFC 9111, section 4.3.4). */
    public static boolean confirms(Headers notModified, Headers stored) {
        @Nullable String tag = notModified.first("ETag");
        @Nullable String kept = stored.first("ETag");
        return tag == null || kept == null || opaque(tag).equals(opaque(kept));
    }

    /** The header of a response after a 304 said that it holds: the new fields in place of the old ones of their names. */
    public static Headers merge(Headers stored, Headers notModified) {
        Headers news = notModified.without(name -> OF_THE_BODY.contains(name.toLowerCase(Locale.ROOT)));
        Headers.Builder merged = stored.without(name -> news.has(name) || Headers.same(name, "Age"))
                .edit();
        news.forEach(merged::add);
        return merged.build();
    }

    /** Returns true if the client with this header has this response already (RFC 9110, section 13.2.2). */
    public static boolean clientHas(Headers request, Headers response, long nowMillis) {
        if (request.has("If-None-Match")) {
            @Nullable String tag = response.first("ETag");
            List<String> tags = request.list("If-None-Match");
            return tags.contains("*")
                    || tag != null
                            && tags.stream().anyMatch(each -> opaque(each).equals(opaque(tag)));
        }
        long since = HttpDate.read(request.first("If-Modified-Since"), nowMillis);
        if (since == HttpDate.NONE) {
            return false;
        }
        // Without Last-Modified, the page cannot have changed after it was made (RFC 9111, section 4.3.2).
        long changed =
                HttpDate.read(response.first(response.has("Last-Modified") ? "Last-Modified" : "Date"), nowMillis);
        return changed != HttpDate.NONE && changed <= since;
    }

    /** Returns the entity tag if it is a strong one: equal tags mean equal bytes. */
    public static @Nullable String strongTag(Headers response) {
        @Nullable String tag = response.first("ETag");
        return tag != null && tag.startsWith("\"") && tag.length() > 1 && tag.endsWith("\"") ? tag : null;
    }

    /** Returns true if the requested range applies to this response (RFC 9110, section 13.1.5). */
    public static boolean rangeApplies(Headers request, Headers response, long nowMillis) {
        @Nullable String condition = request.first("If-Range");
        if (condition == null) {
            return true;
        }
        if (condition.startsWith("\"")) {
            return condition.equals(response.first("ETag"));
        }
        // A date is as good as a strong tag only if the page was a second old at least (section 8.8.2.2).
        long changed = HttpDate.read(response.first("Last-Modified"), nowMillis);
        long date = HttpDate.read(response.first("Date"), nowMillis);
        return changed != HttpDate.NONE && date > changed && condition.equals(response.first("Last-Modified"));
    }

    /** Weak comparison (RFC 9110, section 8.8.3.2). */
    private static String opaque(String tag) {
        return tag.startsWith("W/") ? tag.substring(2) : tag;
    }
}
