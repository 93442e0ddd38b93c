package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Hashes over entries by the digits of their keys: two trees with the same hash have the same entries, and if the hashes
 * differ, sixteen further hashes tell in which sixteenth. Adding and removing cost O(log n); a hash is computed when it is asked for,
 * and kept until something below changes. Confined to one thread at a time.
 */
final class MerkleTree {
    /*
     *                       ·                          0 digits
     *        ┌──────┬───────┼─── … ──┐
     *        0      1       2        f                 1 digit
     *              ┌┴─ … ─┐
     *              10     1f                           2 digits: at most FEW entries below, so it is a leaf
     *
     *     hash of a prefix with no entries            = 20 zero bytes
     *                      with at most FEW entries   = SHA-256 over these entries, in order
     *                      with more                  = SHA-256 over the hashes of its 16 children
     *                                                   (160 bits of it, as of everything on the ring)
     *
     * The hash depends on the entries alone, not on the order in which they came. That also holds for the entries of a range
     * of the ring, which two peers compare: a prefix that lies inside the range has the hash that is kept; one that lies
     * across a border, and there are two of these on each level, is computed from its children.
     *
     * Merkle, A digital signature based on a conventional encryption function, CRYPTO 1987; for repair between replicas:
     * DeCandia et al., Dynamo, SOSP 2007, section 4.7. There each node keeps a tree for each range that it hosts; here it is
     * one tree for all, since ranges change whenever a peer comes or goes. Sums of hashes would need no tree nodes to be
     * recomputed, but who chooses which files are put can find different sets with the same sum.
     */
    static final int CHILDREN = 16;

    /** So many entries are not divided any further. */
    static final int FEW = 16;

    static final Id NOTHING = Prefix.ALL.first();

    private final Node root = new Node();

    /** What is below a prefix. */
    record Summary(int entries, Id hash) {
        static final Summary NONE = new Summary(0, NOTHING);
    }

    private static final class Node {
        private final TreeMap<Id, StoreEntry> entries = new TreeMap<>();
        private @Nullable Node @Nullable [] children;
        private int count;
        private @Nullable Id hash;
    }

    int size() {
        return root.count;
    }

    /** Adds an entry whose key is not there. */
    void add(StoreEntry entry) {
        add(root, 0, entry);
    }

    private static void add(Node node, int depth, StoreEntry entry) {
        node.count++;
        node.hash = null;
        if (node.children != null) {
            addBelow(node.children, depth, entry);
            return;
        }
        node.entries.put(entry.key(), entry);
        if (node.count > FEW) {
            @Nullable Node[] children = new Node[CHILDREN];
            node.entries.values().forEach(each -> addBelow(children, depth, each));
            node.entries.clear();
            node.children = children;
        }
    }

    private static void addBelow(@Nullable Node[] children, int depth, StoreEntry entry) {
        int digit = entry.key().digit(depth);
        Node child = children[digit];
        if (child == null) {
            child = new Node();
            children[digit] = child;
        }
        add(child, depth + 1, entry);
    }

    /** Removes an entry that is there. */
    void remove(StoreEntry entry) {
        remove(root, 0, entry);
    }

    private static void remove(Node node, int depth, StoreEntry entry) {
        node.count--;
        node.hash = null;
        if (node.children == null) {
            StoreEntry removed = node.entries.remove(entry.key());
            assert removed != null : entry;
            return;
        }
        int digit = entry.key().digit(depth);
        Node child = node.children[digit];
        assert child != null : entry;
        remove(child, depth + 1, entry);
        if (child.count == 0) {
            node.children[digit] = null;
        }
        if (node.count <= FEW) {
            collect(node, node.entries);
            node.children = null;
        }
    }

    private static void collect(Node node, Map<Id, StoreEntry> into) {
        if (node.children == null) {
            into.putAll(node.entries);
            return;
        }
        for (Node child : node.children) {
            if (child != null) {
                collect(child, into);
            }
        }
    }

    /** What is in each sixteenth of a prefix, as far as it is in the range. */
    List<Summary> children(Prefix prefix, Range range) {
        Node node = find(prefix);
        List<Summary> children = new ArrayList<>(CHILDREN);
        for (int digit = 0; digit < CHILDREN; digit++) {
            children.add(summary(child(node, prefix.digits(), digit), prefix.child(digit), range));
        }
        return children;
    }

    /** The entries of a prefix that are in the range, in the order of their keys. */
    List<StoreEntry> entries(Prefix prefix, Range range) {
        Node node = find(prefix);
        return node == null ? List.of() : within(node, range);
    }

    private static List<StoreEntry> within(Node node, Range range) {
        TreeMap<Id, StoreEntry> all = new TreeMap<>();
        collect(node, all);
        return all.values().stream()
                .filter(entry -> range.contains(entry.key()))
                .toList();
    }

    private @Nullable Node find(Prefix prefix) {
        Node node = root;
        for (int depth = 0; node != null && depth < prefix.digits(); depth++) {
            node = child(node, depth, prefix.first().digit(depth));
        }
        return node;
    }

    /** A child; of a leaf, one that is made for the purpose. */
    private static @Nullable Node child(@Nullable Node node, int depth, int digit) {
        if (node == null || node.children != null) {
            return node == null || node.children == null ? null : node.children[digit];
        }
        Node child = new Node();
        node.entries.values().stream()
                .filter(entry -> entry.key().digit(depth) == digit)
                .forEach(entry -> add(child, depth + 1, entry));
        return child.count == 0 ? null : child;
    }

    private static Summary summary(@Nullable Node node, Prefix at, Range range) {
        if (node == null || at.isOutside(range)) {
            return Summary.NONE;
        }
        if (at.isInside(range)) {
            return new Summary(node.count, hash(node));
        }
        if (node.children == null) {
            return summary(within(node, range));
        }
        int count = 0;
        List<Id> hashes = new ArrayList<>(CHILDREN);
        for (int digit = 0; digit < CHILDREN; digit++) {
            Summary child = summary(node.children[digit], at.child(digit), range);
            count += child.entries;
            hashes.add(child.hash);
        }
        return count > FEW ? new Summary(count, hash(hashes)) : summary(within(node, range));
    }

    private static Id hash(Node node) {
        Id hash = node.hash;
        if (hash == null) {
            hash = node.children == null ? summary(node.entries.values()).hash : hash(hashes(node.children));
            node.hash = hash;
        }
        return hash;
    }

    private static List<Id> hashes(@Nullable Node[] children) {
        List<Id> hashes = new ArrayList<>(CHILDREN);
        for (Node child : children) {
            hashes.add(child == null ? NOTHING : hash(child));
        }
        return hashes;
    }

    private static Id hash(List<Id> hashes) {
        MessageDigest digest = Intake.sha256();
        hashes.forEach(hash -> digest.update(hash.toBytes()));
        return Intake.idOf(digest);
    }

    private static Summary summary(Collection<StoreEntry> few) {
        if (few.isEmpty()) {
            return Summary.NONE;
        }
        MessageDigest digest = Intake.sha256();
        for (StoreEntry entry : few) {
            FrameWriteBuffer body = new FrameWriteBuffer();
            entry.write(body);
            digest.update(body.bytes());
        }
        return new Summary(few.size(), Intake.idOf(digest));
    }
}
