package dev.perhaps.proxy;

/**
 * Is told which pages the cache holds. For each key the calls alternate, {@code stored} first, and come in the order in which
 * things happened; calls for different keys come from different threads at once. They are made while the entry is locked: be
 * quick, and do not come back to the cache.
 */
public interface CacheListener {
    /** A listener that ignores everything. */
    CacheListener NONE = new CacheListener() {
        @Override
        public void stored(String key) {}

        @Override
        public void removed(String key) {}
    };

    /** The first variant of the page came in. */
    void stored(String key);

    /** The last variant of the page went: evicted, invalidated or replaced by nothing. */
    void removed(String key);
}
