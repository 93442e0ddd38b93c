package dev.perhaps.proxy;

/**
 * Receives the changes of the cache. For each key the calls alternate, {@code stored} first, in the order of the
 * changes; calls for different keys may come from different threads at once. The entry is locked during a call: return
 * quickly, and do not call the cache.
 */
public interface CacheListener {
    /** A listener that ignores everything. */
    CacheListener NONE = new CacheListener() {
        @Override
        public void stored(String key) {}

        @Override
        public void removed(String key) {}
    };

    /** The first variant of a page was stored. */
    void stored(String key);

    /** The last variant of a page was removed: evicted or invalidated. */
    void removed(String key);
}
