package dev.perhaps.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.perhaps.proxy.CacheListener;
import dev.perhaps.proxy.http.Headers;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The cache: pages by their URL, up to a number of bytes with heads and overhead counted, the least useful evicted first.
 * Any number of threads.
 */
public final class PageStore {
    /*
     * Notifications. Caffeine calls an eviction listener, and we our part of compute(), while the key is locked, so for
     * each key stored and removed come in turn and in order. (A removal listener would be called later, on another thread: a
     * page that was evicted and stored again could be reported as stored, then removed.)
     *
     * Nothing expires by time: a stale page can be validated, which is cheaper than to fetch it, or stand in for an origin
     * that fails. The eviction policy (W-TinyLFU) soon removes pages that are not requested.
     */
    private final Cache<String, Page> pages;
    private final CacheListener listener;
    private final Budget outside;
    private final LongAdder evicted = new LongAdder();

    /**
     * A cache of the given size.
     *
     * @param outside the memory for pages that are evicted while they are read
     */
    public PageStore(long mostBytes, Budget outside, CacheListener listener) {
        this.listener = listener;
        this.outside = outside;
        this.pages = Caffeine.newBuilder()
                .maximumWeight(mostBytes)
                .weigher((String key, Page page) -> page.weight(key))
                .executor(Runnable::run) // its upkeep is short, and done at once it is done in order
                .evictionListener((key, page, cause) -> evict(key, page))
                .build();
    }

    private void evict(@Nullable String key, @Nullable Page page) {
        if (key != null && page != null) {
            page.copies().forEach(this::left);
            evicted.increment();
            listener.removed(key);
        }
    }

    /**
     * Returns the stored response that fits this request, fresh or not.
     *
     * @param request its header as it is sent to the origin; asked for only if the page has variants
     */
    public @Nullable Copy find(String key, Supplier<Headers> request) {
        @Nullable Page page = pages.getIfPresent(key);
        return page == null ? null : page.find(request);
    }

    public void put(String key, Copy copy) {
        pages.asMap().compute(key, (same, page) -> {
            if (page == null) {
                listener.stored(key);
                return new Page(List.of(copy));
            }
            Page next = page.with(copy);
            for (Copy each : page.copies()) {
                if (!next.copies().contains(each)) {
                    left(each);
                }
            }
            return next;
        });
    }

    /** The copy is no longer in the cache: its readers take memory outside it. */
    public void left(Copy copy) {
        copy.readers().left(outside);
    }

    public void remove(String key) {
        pages.asMap().computeIfPresent(key, (same, page) -> {
            page.copies().forEach(this::left);
            listener.removed(key);
            return null;
        });
    }

    public long pages() {
        return pages.estimatedSize();
    }

    public long evicted() {
        return evicted.sum();
    }

    public long sizeBytes() {
        return pages.policy()
                .eviction()
                .map(policy -> policy.weightedSize().orElse(0))
                .orElse(0L);
    }
}
