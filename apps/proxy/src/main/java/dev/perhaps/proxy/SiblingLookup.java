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
    /** Straight to the origin. */
    SiblingLookup NONE = new SiblingLookup() {
        @Override
        public @Nullable Attempt attempt(String key, Headers request) {
            return null;
        }

        @Override
        public void originAnswered(LookupOutcome.Cost cost) {}
    };

    /**
     * Where to try first.
     *
     * @param key the page: the URL at the origin
     * @param request what the client asked with, which says for example whether it is a sibling itself
     * @return null: go to the origin
     */
    @Nullable
    Attempt attempt(String key, Headers request);

    /** The origin sent a page that a sibling could have sent, at this cost until the head of its answer. */
    void originAnswered(LookupOutcome.Cost cost);

    /**
     * Whether a request may be answered: one that claims to come from a sibling must be able to show it.
     *
     * @param path with the query, as it came
     * @param certified whether the client showed a certificate, signed by the authority of those who listen
     */
    default boolean admits(String method, String path, Headers request, BooleanSupplier certified) {
        return true;
    }

    /** One question to a sibling. {@link #end} is called exactly once. */
    interface Attempt {
        /** For the header {@code Cache-Status}: letters, digits, {@code -} and {@code .} only. */
        String name();

        /** Where the sibling listens. */
        InetSocketAddress address();

        /** How long to wait for a connection and for the head of the answer, each. */
        int timeoutMillis();

        /** Adds to the request what the other one wants to see, such as {@code only-if-cached} and who asks. */
        void sign(Headers.Builder request);

        /** Whether this answer is the page. If not, it counts as a miss and the origin is asked. */
        boolean accepts(int status, Headers answer);

        /** How it ended. */
        void end(LookupOutcome outcome);
    }
}
