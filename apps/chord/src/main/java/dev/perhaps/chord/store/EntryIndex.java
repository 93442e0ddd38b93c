package dev.perhaps.chord.store;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Range;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** The entries of a peer, in memory: by key, and in a {@link MerkleTree} for each number of copies. Thread-safe. */
final class EntryIndex {
    /*
     * Entries with another number of copies have other hosts, so two peers that compare a range of the ring compare the
     * entries of one number: each has a tree of its own.
     */
    private final ConcurrentSkipListMap<Id, StoreEntry> entries = new ConcurrentSkipListMap<>();
    private final MerkleTree[] trees = new MerkleTree[StoreEntry.MAX_REPLICAS + 1];

    EntryIndex() {
        for (int i = 0; i < trees.length; i++) {
            trees[i] = new MerkleTree();
        }
    }

    @Nullable
    StoreEntry get(Id key) {
        return entries.get(key);
    }

    Collection<StoreEntry> all() {
        return List.copyOf(entries.values());
    }

    /** Replaces the entry of the same key. Returns the old one. */
    @CanIgnoreReturnValue
    synchronized @Nullable StoreEntry put(StoreEntry entry) {
        StoreEntry before = remove(entry.key());
        entries.put(entry.key(), entry);
        trees[entry.replicas()].add(entry);
        return before;
    }

    @CanIgnoreReturnValue
    synchronized @Nullable StoreEntry remove(Id key) {
        StoreEntry before = entries.remove(key);
        if (before != null) {
            trees[before.replicas()].remove(before);
        }
        return before;
    }

    synchronized List<MerkleTree.Summary> children(int replicas, Prefix prefix, Range range) {
        return trees[replicas].children(prefix, range);
    }

    synchronized List<StoreEntry> within(int replicas, Prefix prefix, Range range) {
        return trees[replicas].entries(prefix, range);
    }
}
