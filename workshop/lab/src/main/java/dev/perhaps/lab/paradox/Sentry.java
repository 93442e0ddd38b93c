package dev.perhaps.lab.paradox;

/** Stands before a cache and says whether it is worth asking. It sees every access to the cache, and learns from it. */
interface Sentry {
    /** True if the cache is worth asking for the key with this hash. */
    boolean isWorthAsking(long hash);

    /**
     * Sees an access: the key is in the cache from now on.
     *
     * @param hit whether it was there before
     * @param evicted the key that had to go for it, or {@link AddressTrace#NONE}
     * @param cached how many keys the cache holds now
     */
    void sees(long hash, boolean hit, long evicted, int cached);

    /** Sees that a key was asked for without being accessed. */
    default void sawQuestion(long hash) {}
}
