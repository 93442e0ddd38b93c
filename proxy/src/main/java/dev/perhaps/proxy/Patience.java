package dev.perhaps.proxy;

/**
 * How long to wait for others.
 *
 * @param connectMillis for a connection to the origin
 * @param answerMillis for the head of its answer
 * @param originMillis for the next bytes of its answer
 * @param headMillis for a client to send a whole head, from its first byte
 * @param clientMillis for a client to send more of a body, or to take more of an answer
 * @param idleMillis for a client to ask again, and for us to use a connection to the origin again
 * @param lockMillis for the answer to somebody else's request for the same page, before one asks for oneself
 * @param drainMillis for answers under way, when the proxy stops
 */
public record Patience(
        int connectMillis,
        int answerMillis,
        int originMillis,
        int headMillis,
        int clientMillis,
        int idleMillis,
        int lockMillis,
        int drainMillis) {
    public static Patience usual() {
        return new Patience(5_000, 30_000, 30_000, 10_000, 30_000, 60_000, 5_000, 10_000);
    }

    public Patience withAnswerMillis(int millis) {
        return new Patience(
                connectMillis, millis, originMillis, headMillis, clientMillis, idleMillis, lockMillis, drainMillis);
    }

    public Patience withOriginMillis(int millis) {
        return new Patience(
                connectMillis, answerMillis, millis, headMillis, clientMillis, idleMillis, lockMillis, drainMillis);
    }

    public Patience withHeadMillis(int millis) {
        return new Patience(
                connectMillis, answerMillis, originMillis, millis, clientMillis, idleMillis, lockMillis, drainMillis);
    }

    public Patience withClientMillis(int millis) {
        return new Patience(
                connectMillis, answerMillis, originMillis, headMillis, millis, idleMillis, lockMillis, drainMillis);
    }

    public Patience withIdleMillis(int millis) {
        return new Patience(
                connectMillis, answerMillis, originMillis, headMillis, clientMillis, millis, lockMillis, drainMillis);
    }

    public Patience withLockMillis(int millis) {
        return new Patience(
                connectMillis, answerMillis, originMillis, headMillis, clientMillis, idleMillis, millis, drainMillis);
    }
}
