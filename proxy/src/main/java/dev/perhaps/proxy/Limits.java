package dev.perhaps.proxy;

/**
 * How much of everything.
 *
 * @param cacheBytes what the cache holds, heads and overhead counted
 * @param entryBytes the largest body that is kept
 * @param requestLineBytes the longest first line of a request
 * @param headBytes the longest rest of a head
 * @param headers the most fields of a head
 * @param requestBytes the longest body of a request
 * @param clients the most connections of clients
 * @param lines the most connections to the origin
 * @param windowBytes what is read ahead for a client that reads slowly
 */
public record Limits(
        long cacheBytes,
        long entryBytes,
        int requestLineBytes,
        int headBytes,
        int headers,
        long requestBytes,
        int clients,
        int lines,
        int windowBytes) {
    public Limits {
        if (entryBytes < 0 || entryBytes > cacheBytes || entryBytes > Integer.MAX_VALUE / 2) {
            throw new IllegalArgumentException("a page that is kept has at most the bytes of the cache, " + cacheBytes
                    + ", and 1 GiB, got " + entryBytes);
        }
    }

    /** Those of a cache of this size: a page may take an eighth of it, and 64 MiB. */
    public static Limits ofCache(long cacheBytes) {
        return new Limits(
                cacheBytes,
                Math.min(64L << 20, cacheBytes / 8),
                8 << 10,
                32 << 10,
                100,
                1L << 30,
                10_000,
                256,
                256 << 10);
    }

    public Limits withEntryBytes(long bytes) {
        return new Limits(
                cacheBytes, bytes, requestLineBytes, headBytes, headers, requestBytes, clients, lines, windowBytes);
    }

    public Limits withRequestBytes(long bytes) {
        return new Limits(
                cacheBytes, entryBytes, requestLineBytes, headBytes, headers, bytes, clients, lines, windowBytes);
    }

    public Limits withLines(int most) {
        return new Limits(
                cacheBytes, entryBytes, requestLineBytes, headBytes, headers, requestBytes, clients, most, windowBytes);
    }
}
