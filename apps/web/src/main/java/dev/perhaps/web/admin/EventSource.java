package dev.perhaps.web.admin;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The source of the events of a stream. It is called in rounds, one at a time and on a thread that may wait, as long as
 * the stream has clients. An event is sent when it differs from the last one of its name, and to every new client.
 *
 * <p>{@code plan.events("/api/events", round -> round.event("keys", JsonText.object(json -> json.field("n", n()))));}
 */
@FunctionalInterface
public interface EventSource {
    /**
     * Looks, and adds what it sees to the round.
     *
     * @throws IOException if something cannot be seen now: watchers get the message in the event {@code trouble}, and what was
     *     added before
     */
    void look(Round round) throws IOException;

    /** What is seen in one round. Confined to the call of {@link EventSource#look}. */
    final class Round {
        /** The pause until the next round, in milliseconds, where {@link #pauseMillis} is not called. */
        public static final long DEFAULT_PAUSE_MILLIS = 1_000;

        static final String TROUBLE = "trouble";
        static final String BEAT = "beat";

        private static final int MAX_EVENTS = 64;
        private static final Pattern NAME = Pattern.compile("[a-zA-Z][a-zA-Z0-9_-]{0,63}");

        private final Map<String, String> events = new LinkedHashMap<>();
        private long pauseMillis = DEFAULT_PAUSE_MILLIS;

        Round() {}

        /**
         * Adds an event with all there is to say under this name; not a difference, since a watcher may have missed the one before.
         *
         * @param name letters, digits, {@code _} and {@code -}; not {@code trouble} or {@code beat}, which the stream itself sends
         * @param data any text, JSON most often
         */
        @CanIgnoreReturnValue
        public Round event(String name, String data) {
            if (!NAME.matcher(name).matches() || name.equals(TROUBLE) || name.equals(BEAT)) {
                throw new IllegalArgumentException("an event is named with up to 64 letters, digits, '_' and '-',"
                        + " and neither trouble nor beat, got '" + name + "'");
            }
            events.put(name, data);
            if (events.size() > MAX_EVENTS) {
                throw new IllegalArgumentException("a round has at most " + MAX_EVENTS + " events");
            }
            return this;
        }

        /** Sets the pause until the next round (default: {@value #DEFAULT_PAUSE_MILLIS} ms). */
        @CanIgnoreReturnValue
        public Round pauseMillis(long millis) {
            if (millis < 1) {
                throw new IllegalArgumentException("a pause takes at least 1 ms, got " + millis);
            }
            pauseMillis = millis;
            return this;
        }

        Map<String, String> events() {
            return events;
        }

        long pauseMillis() {
            return pauseMillis;
        }
    }
}
