package dev.perhaps.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.proxy.CacheListener;
import dev.perhaps.proxy.http.CacheControl;
import dev.perhaps.proxy.http.Freshness;
import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.http.ResponseHead;
import dev.perhaps.proxy.http.Vary;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** The cache: variants, what fits in, and what it tells of what it holds. */
class PageStoreTest {
    /** Counts what it is told, and fails if for one key it is told the same twice in a row. */
    private static final class Audit implements CacheListener {
        private final Map<String, Boolean> held = new ConcurrentHashMap<>();
        private final LongAdder calls = new LongAdder();
        private final LongAdder wrong = new LongAdder();

        @Override
        public void stored(String key) {
            calls.increment();
            if (held.put(key, true) != null) {
                wrong.increment();
            }
        }

        @Override
        public void removed(String key) {
            calls.increment();
            if (held.remove(key) == null) {
                wrong.increment();
            }
        }
    }

    private static Copy copy(int bytes, String accept) {
        Headers response = Headers.of("Vary", "Accept");
        Vary vary = Vary.of(response);
        return new Copy(
                new ResponseHead(200, "OK", 1, response),
                CacheControl.EMPTY,
                new Freshness(60, 0, 0),
                vary,
                vary.select(Headers.of("Accept", accept)),
                new byte[bytes]);
    }

    @Test
    void findsTheVariantThatFits() {
        PageStore store = new PageStore(1 << 20, new Budget(1 << 20), CacheListener.NONE);
        Copy a = copy(1, "a");
        Copy b = copy(2, "b");
        Copy newer = copy(3, "a");
        store.put("k", a);
        store.put("k", b);
        assertThat(store.find("k", () -> Headers.of("Accept", "a"))).isSameAs(a);
        assertThat(store.find("k", () -> Headers.of("Accept", "b"))).isSameAs(b);
        assertThat(store.find("k", () -> Headers.NONE)).isNull();
        store.put("k", newer);
        assertThat(store.find("k", () -> Headers.of("Accept", "a"))).isSameAs(newer);
        assertThat(store.find("other", () -> Headers.of("Accept", "a"))).isNull();
    }

    @Test
    void keepsSixteenVariantsAtMost() {
        PageStore store = new PageStore(1 << 20, new Budget(1 << 20), CacheListener.NONE);
        for (int i = 0; i < 40; i++) {
            store.put("k", copy(1, "v" + i));
        }
        assertThat(store.find("k", () -> Headers.of("Accept", "v23"))).isNull();
        assertThat(store.find("k", () -> Headers.of("Accept", "v24"))).isNotNull();
        assertThat(store.find("k", () -> Headers.of("Accept", "v39"))).isNotNull();
    }

    @Test
    void holdsNoMoreBytesThanItMay() {
        Audit audit = new Audit();
        PageStore store = new PageStore(1 << 20, new Budget(1 << 20), audit);
        for (int i = 0; i < 1_000; i++) {
            store.put("k" + i, copy(10_000, "a"));
        }
        assertThat(store.sizeBytes()).isBetween(900_000L, 1L << 20);
        assertThat(store.pages()).isEqualTo(audit.held.size()).isBetween(80L, 100L);
        assertThat(store.evicted()).isEqualTo(1_000 - store.pages());
        store.put("too big", copy(2 << 20, "a"));
        assertThat(store.find("too big", () -> Headers.of("Accept", "a"))).isNull();
        assertThat(audit.held).doesNotContainKey("too big");
    }

    /** Symptom: fields that a page varies by were not counted, so clients with long ones could fill all memory of Java. */
    @Test
    void countsWhatVariantsAreSelectedBy() {
        PageStore store = new PageStore(1 << 20, new Budget(1 << 20), CacheListener.NONE);
        for (int i = 0; i < 200; i++) {
            store.put("k" + i, copy(1, i + "x".repeat(30_000)));
        }
        assertThat(store.sizeBytes()).isBetween(900_000L, 1L << 20);
        assertThat(store.pages()).isBetween(25L, 34L);
    }

    @Test
    void tellsOnceOfAPageThatComesAndOnceThatItGoes() {
        Audit audit = new Audit();
        PageStore store = new PageStore(1 << 20, new Budget(1 << 20), audit);
        store.put("k", copy(1, "a"));
        store.put("k", copy(1, "b"));
        store.put("k", copy(1, "a"));
        assertThat(audit.calls.sum()).isEqualTo(1);
        store.remove("k");
        store.remove("k");
        store.remove("never");
        assertThat(audit.calls.sum()).isEqualTo(2);
        assertThat(audit.held).isEmpty();
    }

    @Test
    void tellsTheTruthWhileManyThreadsStoreRemoveAndEvict() throws InterruptedException {
        Audit audit = new Audit();
        PageStore store = new PageStore(300_000, new Budget(1 << 20), audit);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        for (int thread = 0; thread < 4; thread++) {
            SplittableRandom random = new SplittableRandom(thread);
            threads.execute(() -> {
                for (int i = 0; i < 50_000; i++) {
                    String key = "k" + random.nextInt(300);
                    switch (random.nextInt(8)) {
                        case 0 -> store.remove(key);
                        case 1, 2 -> store.find(key, () -> Headers.of("Accept", "a"));
                        default ->
                            store.put(
                                    key,
                                    copy(
                                            random.nextInt(4_000),
                                            List.of("a", "b").get(random.nextInt(2))));
                    }
                }
            });
        }
        threads.shutdown();
        assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(audit.wrong.sum()).isZero();
        assertThat(audit.calls.sum()).isGreaterThan(10_000);
        assertThat(audit.held).hasSize(Math.toIntExact(store.pages()));
        audit.held.keySet().forEach(store::remove);
        assertThat(audit.held).isEmpty();
        assertThat(audit.wrong.sum()).isZero();
        assertThat(store.pages()).isZero();
    }
}
