package dev.perhaps.lab.paradox;

/** Says whether a cache is worth asking. It sees every access to the cache, and learns from it. */
interface Sentry {
    /** True if the cache is worth asking for the key with this hash. */
    boolean isWorthAsking(long hash);

    /**
     * Sees an access: the key is in the cache from now on.
     *
     * @param hit true if it was in the cache before
     * @param evicted the key that was evicted for it, or {@link AddressTrace#NONE}
     * @param cached the number of keys in the cache now
     */
    void sees(long hash, boolean hit, long evicted, int cached);

    /** Sees that a key was asked for without being accessed. */
    default void sawQuestion(long hash) {}
}
