package dev.perhaps.proxy;

/**
 * The limits of a proxy.
 *
 * @param cacheBytes the size of the cache, including heads and overhead
 * @param entryBytes the largest body that is stored
 * @param requestLineBytes the longest first line of a request
 * @param headBytes the longest rest of a head
 * @param headers the most fields of a head
 * @param requestBytes the longest body of a request
 * @param clients the most connections of clients
 * @param addressClients the most connections of clients from one address; if it is not less than {@code clients}, connections
 *     to the origin are not divided by address either
 * @param memoryBytes the memory that all clients together may use for incomplete requests, waiting requests, and
 *     responses that are not read, beyond 16 KiB per connection; one address may use a quarter of it
 * @param originConnections the most connections to the origin
 * @param windowBytes the bytes that are read ahead for a slow client
 */
public record Limits(
        long cacheBytes,
        long entryBytes,
        int requestLineBytes,
        int headBytes,
        int headers,
        long requestBytes,
        int clients,
        int addressClients,
        long memoryBytes,
        int originConnections,
        int windowBytes) {
    /** The default of {@link #clients}. */
    public static final int DEFAULT_CLIENTS = 10_000;

    /** The default of {@link #addressClients}. */
    public static final int DEFAULT_ADDRESS_CLIENTS = 1_000;

    private static final long MIN_MEMORY_BYTES = 32L << 20;

    /** Checks that the limits are consistent. */
    public Limits {
        if (entryBytes < 0 || entryBytes > cacheBytes || entryBytes > Integer.MAX_VALUE / 2) {
            throw new IllegalArgumentException("a page that is kept has at most the bytes of the cache, " + cacheBytes
                    + ", and 1 GiB, got " + entryBytes);
        }
        if (clients < 1 || addressClients < 1) {
            throw new IllegalArgumentException("at least one client may connect, from at least one address, got "
                    + clients + " and " + addressClients);
        }
        if (memoryBytes < 1 << 20) {
            throw new IllegalArgumentException("clients need at least 1 MiB of memory, got " + memoryBytes + " bytes");
        }
    }

    /** Returns the limits for a cache of this size: a page may take an eighth of it, at most 64 MiB. */
    public static Limits ofCache(long cacheBytes) {
        return new Limits(
                cacheBytes,
                Math.min(64L << 20, cacheBytes / 8),
                8 << 10,
                32 << 10,
                100,
                1L << 30,
                DEFAULT_CLIENTS,
                DEFAULT_ADDRESS_CLIENTS,
                Math.max(MIN_MEMORY_BYTES, cacheBytes / 8),
                256,
                256 << 10);
    }

    /** The same limits with this size of the largest page that is kept. */
    public Limits entryBytes(long bytes) {
        return new Limits(
                cacheBytes,
                bytes,
                requestLineBytes,
                headBytes,
                headers,
                requestBytes,
                clients,
                addressClients,
                memoryBytes,
                originConnections,
                windowBytes);
    }

    /** The same limits with this size of the longest body of a request. */
    public Limits requestBytes(long bytes) {
        return new Limits(
                cacheBytes,
                entryBytes,
                requestLineBytes,
                headBytes,
                headers,
                bytes,
                clients,
                addressClients,
                memoryBytes,
                originConnections,
                windowBytes);
    }

    /** The same limits with at most this many connections of clients. */
    public Limits clients(int most) {
        return new Limits(
                cacheBytes,
                entryBytes,
                requestLineBytes,
                headBytes,
                headers,
                requestBytes,
                most,
                addressClients,
                memoryBytes,
                originConnections,
                windowBytes);
    }

    /** The same limits with at most this many connections of clients from one address. */
    public Limits addressClients(int most) {
        return new Limits(
                cacheBytes,
                entryBytes,
                requestLineBytes,
                headBytes,
                headers,
                requestBytes,
                clients,
                most,
                memoryBytes,
                originConnections,
                windowBytes);
    }

    /** The same limits with this much memory for all clients. */
    public Limits memoryBytes(long bytes) {
        return new Limits(
                cacheBytes,
                entryBytes,
                requestLineBytes,
                headBytes,
                headers,
                requestBytes,
                clients,
                addressClients,
                bytes,
                originConnections,
                windowBytes);
    }

    /** The same limits with this number of connections to the origin at most. */
    public Limits originConnections(int most) {
        return new Limits(
                cacheBytes,
                entryBytes,
                requestLineBytes,
                headBytes,
                headers,
                requestBytes,
                clients,
                addressClients,
                memoryBytes,
                most,
                windowBytes);
    }
}
