package dev.perhaps.proxy;

import dev.perhaps.proxy.http.Headers;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds a sibling that perhaps has a page. It is called on a miss, before the origin is asked, only for plain GETs:
 * without Authorization, Range, a body or conditions that only the origin can evaluate. Called from any thread; it must
 * not block.
 */
public interface SiblingLookup {
    /** A lookup that names no sibling: every miss goes to the origin. */
    SiblingLookup NONE = new SiblingLookup() {
        @Override
        public @Nullable Attempt attempt(String key, Headers request) {
            return null;
        }

        @Override
        public void originResponded(LookupOutcome.Cost cost) {}
    };

    /**
     * Returns the sibling to ask first.
     *
     * @param key the page: the URL at the origin
     * @param request what the client asked with, which says for example whether it is a sibling itself
     * @return null: go to the origin
     */
    @Nullable
    Attempt attempt(String key, Headers request);

    /**
     * Reports that the origin sent a page that a sibling could have sent, at this cost until the head of its response.
     */
    void originResponded(LookupOutcome.Cost cost);

    /**
     * Returns true if a request may be answered: one that claims to come from a sibling must prove it.
     *
     * @param path with the query, as it came
     * @param certified true if the client has a certificate, signed by the authority for clients
     */
    default boolean admits(String method, String path, Headers request, BooleanSupplier certified) {
        return true;
    }

    /** One request to a sibling. {@link #end} is called exactly once. */
    interface Attempt {
        /** For the header {@code Cache-Status}: letters, digits, {@code -} and {@code .} only. */
        String name();

        /** Where the sibling listens. */
        InetSocketAddress address();

        /** How long to wait for a connection and for the head of the response, each. */
        int timeoutMillis();

        /** Adds the fields that the sibling expects, such as {@code only-if-cached} and the identity of this proxy. */
        void sign(Headers.Builder request);

        /** Returns true if this response is the page. If not, it counts as a miss and the origin is asked. */
        boolean accepts(int status, Headers response);

        /** Reports the outcome. */
        void end(LookupOutcome outcome);
    }
}
