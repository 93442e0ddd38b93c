package dev.perhaps.proxy.sharing;

import dev.perhaps.hash.Mix;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomDelta;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.CountingBloom;
import dev.perhaps.sketch.Sketch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a cache tells others of what it holds: a counting Bloom filter that follows the cache, published from time to
 * time as a versioned digest, whole or as the delta from a version that the other has. A digest has every page that was
 * held when it was published, and says "perhaps" to others at the rate that its bits per document give. Safe for any
 * number of threads.
 *
 * <pre>{@code
 * Holdings held = Holdings.of(Key.strings(), "a", 100_000, 8, 4711, System.err::println);
 * held.stored("http://origin/news/1");
 * held.publish();
 * byte[] message = held.since(0, 0);
 * }</pre>
 */
public final class Holdings {
    /*
     *     stored, removed ──> counting filter ── publish ──> version 7  ── since(6) ──> delta 6 → 7
     *            │                                           version 6  ── since(0) ──> whole, or from empty if shorter
     *            └──> hashes held                            version 5
     *                                                        …               a bounded number of them
     *
     * After Fan, Cao, Almeida and Broder, "Summary cache: a scalable wide-area web cache sharing protocol" (2000): counters
     * here, plain bits for the others, changes instead of all of it where that is shorter.
     *
     * Salt. Siblings hold many pages in common. Without a salt their digests would be wrong about the same URLs, all at once; with
     * one each, made from the name, they err independently (docs/several-filters.md). It is in the frame of the digest, so
     * the receiver needs to know nothing of it.
     *
     * Growing. A counting filter cannot be made bigger, so the hashes of what is held are kept, 64 bits per page, and
     * the filter is rebuilt from them when there are more pages than it was planned for. That is done at a publication
     * and not while a page is stored; changes made meanwhile are recorded and applied afterwards. A sibling with an old
     * version then gets the whole filter: deltas lead only between filters of one size.
     */
    private static final int VERSIONS_KEPT = 8;
    private static final int MAX_BITS = 64;

    /** A filter with a smaller share of its bits set is shorter as the delta from an empty one. */
    private static final double SPARSE = 0.3;

    private record Version(long number, long documents, BloomFilter<String> filter) {}

    private record Change(long hash, boolean stored) {}

    private final Key<String> key;
    private final int salt;
    private final int bitsPerDocument;
    private final long epoch;
    private final Consumer<String> told;

    private final ReentrantLock publishing = new ReentrantLock();

    // Guarded by this.
    private final Set<Long> held = new HashSet<>();
    private CountingBloom<String> filter;
    private @Nullable List<Change> madeUpFor;
    private long fresh;
    private boolean changed = true;
    private long growths;
    private final Deque<Version> versions = new ArrayDeque<>();
    private final Map<Long, byte[]> encoded = new HashMap<>();

    private Holdings(
            Key<String> key, int salt, long documents, int bitsPerDocument, long epoch, Consumer<String> told) {
        this.key = key;
        this.salt = salt;
        this.bitsPerDocument = bitsPerDocument;
        this.epoch = epoch;
        this.told = told;
        this.filter = plan(documents);
    }

    /**
     * Of an empty cache.
     *
     * @param key of what form and with what seed pages are hashed: the same for all that share
     * @param name of this cache, different for all that share: its digest has a salt of its own
     * @param documents how many pages are expected
     * @param bitsPerDocument of the digest, 1 to 64; in memory five times that
     * @param epoch another number at each start
     * @param told gets a sentence when there are more pages than expected
     */
    public static Holdings of(
            Key<String> key, String name, long documents, int bitsPerDocument, long epoch, Consumer<String> told) {
        if (documents < 1 || documents > 1L << 30) {
            throw new IllegalArgumentException("documents must be in [1, " + (1L << 30) + "], got " + documents);
        }
        if (bitsPerDocument < 1 || bitsPerDocument > MAX_BITS) {
            throw new IllegalArgumentException(
                    "bits per document must be in [1, " + MAX_BITS + "], got " + bitsPerDocument);
        }
        return new Holdings(key, salt(key, name), documents, bitsPerDocument, epoch, told);
    }

    /** Returns the salt of the digests of a cache. It is secret, since only siblings know the seed of the key. */
    static int salt(Key<String> key, String name) {
        return (int) Mix.finish(key.hash("digest salt " + name));
    }

    private CountingBloom<String> plan(long documents) {
        return CountingBloom.expecting(documents)
                .of(key)
                .salt(salt)
                .counters(documents * bitsPerDocument)
                .build();
    }

    /** Adds a page that was stored. */
    public synchronized void stored(String page) {
        change(new Change(key.hash(page), true));
    }

    /** A page went that was held. */
    public synchronized void removed(String page) {
        change(new Change(key.hash(page), false));
    }

    private void change(Change change) {
        boolean news = change.stored ? held.add(change.hash) : held.remove(change.hash);
        if (!news) {
            return;
        }
        apply(change, filter);
        fresh += change.stored ? 1 : 0;
        changed = true;
        if (madeUpFor != null) {
            madeUpFor.add(change);
        }
    }

    private static void apply(Change change, CountingBloom<String> to) {
        if (change.stored) {
            to.addHash(change.hash);
        } else {
            to.removeHash(change.hash);
        }
    }

    /** Returns true if the filter as it is now, not as it was published, says "perhaps". */
    public synchronized boolean mightHold(String page) {
        return filter.mightContainHash(key.hash(page));
    }

    public synchronized long documents() {
        return held.size();
    }

    /** Returns the share of pages that were stored since the last publication, which decides when to publish. */
    public synchronized double freshShare() {
        return held.isEmpty() ? 0 : Math.min(1, (double) fresh / held.size());
    }

    /** Returns how often the digest had to be rebuilt with more bits. */
    public synchronized long growths() {
        return growths;
    }

    public long epoch() {
        return epoch;
    }

    /** The newest version, 0 before the first publication. */
    public synchronized long version() {
        Version newest = versions.peekFirst();
        return newest == null ? 0 : newest.number;
    }

    /** The bits of the digest now. */
    public synchronized long bits() {
        return filter.counters();
    }

    /** Publishes a new version if anything changed. Returns the newest version. */
    public long publish() {
        // One at a time: the filter is not rebuilt twice, and pages can be stored meanwhile.
        publishing.lock();
        try {
            growIfNeeded();
            return newVersion();
        } finally {
            publishing.unlock();
        }
    }

    private synchronized long newVersion() {
        if (changed) {
            changed = false;
            fresh = 0;
            versions.addFirst(new Version(version() + 1, held.size(), filter.toBloom()));
            if (versions.size() > VERSIONS_KEPT) {
                versions.removeLast();
            }
            encoded.clear();
        }
        return version();
    }

    private void growIfNeeded() {
        long[] hashes;
        long planned;
        synchronized (this) {
            planned = filter.sizing().items();
            if (held.size() <= planned) {
                return;
            }
            hashes = held.stream().mapToLong(Long::longValue).toArray();
            madeUpFor = new ArrayList<>();
        }
        CountingBloom<String> bigger = plan(hashes.length * 2L);
        for (long hash : hashes) {
            bigger.addHash(hash);
        }
        synchronized (this) {
            madeUpFor.forEach(change -> apply(change, bigger));
            madeUpFor = null;
            filter = bigger;
            growths++;
        }
        told.accept("the cache holds " + Figures.count(hashes.length) + " pages and its digest was planned for "
                + Figures.count(planned) + ": it is rebuilt for "
                + Figures.count(bigger.sizing().items()) + ", "
                + Figures.bytes(bigger.counters() / 8));
    }

    /**
     * Returns the shortest message that updates a holder of this version of this epoch, or of none (0).
     *
     * @throws IllegalStateException if nothing was published yet
     */
    public synchronized byte[] since(long epochThere, long versionThere) {
        Version newest = versions.peekFirst();
        if (newest == null) {
            throw new IllegalStateException("nothing was published yet");
        }
        long from = epochThere == epoch ? versionThere : 0;
        return encoded.computeIfAbsent(from, any -> message(from, newest).toBytes());
    }

    private Digest message(long from, Version newest) {
        if (from == newest.number) {
            return digest(Digest.Form.NOTHING_NEW, newest, 0, new byte[0]);
        }
        BloomDelta<String> delta = null;
        long base = 0;
        for (Version version : versions) {
            if (version.number == from && version.filter.fits(newest.filter)) {
                delta = BloomDelta.between(version.filter, newest.filter);
                base = from;
            }
        }
        if (delta == null && newest.filter.load() < SPARSE) {
            delta = BloomDelta.fromEmpty(newest.filter);
        }
        if (delta != null && delta.fileBytes() < newest.filter.fileBytes()) {
            return digest(Digest.Form.DELTA, newest, base, bytes(delta));
        }
        return digest(Digest.Form.WHOLE, newest, 0, bytes(newest.filter));
    }

    private Digest digest(Digest.Form form, Version newest, long base, byte[] frame) {
        return new Digest(form, epoch, newest.number, base, newest.documents, frame);
    }

    private static byte[] bytes(Sketch sketch) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(Math.toIntExact(sketch.fileBytes()));
        try {
            sketch.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot be written", e);
        }
        return out.toByteArray();
    }
}
