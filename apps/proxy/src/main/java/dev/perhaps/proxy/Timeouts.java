package dev.perhaps.proxy;

/**
 * The timeouts of a proxy.
 *
 * @param connectMillis for a connection to the origin
 * @param responseMillis for the head of its response
 * @param originMillis for the next bytes of its response
 * @param headMillis for a client to send a whole head, from its first byte
 * @param clientMillis for a client to send more of a body, or to read more of a response
 * @param idleMillis how long an idle connection of a client or to the origin stays open
 * @param lockMillis for the response to another client's request for the same page, before a separate request is made
 * @param drainMillis for responses in progress, when the proxy stops
 */
public record Timeouts(
        int connectMillis,
        int responseMillis,
        int originMillis,
        int headMillis,
        int clientMillis,
        int idleMillis,
        int lockMillis,
        int drainMillis) {
    /** The defaults: 5 s to connect, 30 s for responses and bodies, 10 s for a head, 60 s idle, 5 s for a shared response. */
    public static Timeouts usual() {
        return new Timeouts(5_000, 30_000, 30_000, 10_000, 30_000, 60_000, 5_000, 10_000);
    }

    /** The same with this timeout for the head of a response. */
    public Timeouts responseMillis(int millis) {
        return new Timeouts(
                connectMillis, millis, originMillis, headMillis, clientMillis, idleMillis, lockMillis, drainMillis);
    }

    /** The same with this timeout for the next bytes of a response. */
    public Timeouts originMillis(int millis) {
        return new Timeouts(
                connectMillis, responseMillis, millis, headMillis, clientMillis, idleMillis, lockMillis, drainMillis);
    }

    /** The same with this timeout for the head of a client's request. */
    public Timeouts headMillis(int millis) {
        return new Timeouts(
                connectMillis, responseMillis, originMillis, millis, clientMillis, idleMillis, lockMillis, drainMillis);
    }

    /** The same with this timeout for a client that sends a body or reads a response. */
    public Timeouts clientMillis(int millis) {
        return new Timeouts(
                connectMillis, responseMillis, originMillis, headMillis, millis, idleMillis, lockMillis, drainMillis);
    }

    /** The same with this timeout for idle connections. */
    public Timeouts idleMillis(int millis) {
        return new Timeouts(
                connectMillis, responseMillis, originMillis, headMillis, clientMillis, millis, lockMillis, drainMillis);
    }

    /** The same with this timeout for the response to another client's request for the same page. */
    public Timeouts lockMillis(int millis) {
        return new Timeouts(
                connectMillis, responseMillis, originMillis, headMillis, clientMillis, idleMillis, millis, drainMillis);
    }
}
