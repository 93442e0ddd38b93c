package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.wire.FrameStream;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Predicate;

/**
 * Finds the entries of a range that are here and not on another peer: both sides of the request. If there is none, that
 * costs one frame each way; if there is one among n entries, O(log n) small frames.
 */
final class RangeComparison {
    /*
     * The asker goes down the tree level by level, many prefixes per frame. The other answers with the hashes of the children
     * of each. Where one differs from ours: if we have nothing there, it is for the other to tell us, in its own round; if
     * we have few entries there, or the other has none, ours are candidates; otherwise we ask deeper. At the end the other
     * is asked which of the candidates it does not have, for it may also have something newer.
     */
    private final EntryIndex index;
    private final Range range;
    private final int replicas;

    RangeComparison(EntryIndex index, Range range, int replicas) {
        this.index = index;
        this.range = range;
        this.replicas = replicas;
    }

    /** Entries that may not be with the other peer; all others are. */
    List<StoreEntry> candidates(RemotePeer other) throws IOException {
        List<StoreEntry> candidates = new ArrayList<>();
        List<Prefix> level = List.of(Prefix.ALL);
        while (!level.isEmpty()) {
            List<Prefix> deeper = new ArrayList<>();
            for (List<Prefix> some : parts(level, FileRequests.MAX_PREFIXES)) {
                List<Id> theirs = other.hashes(range, replicas, some);
                for (int i = 0; i < some.size(); i++) {
                    List<Id> children = theirs.subList(MerkleTree.CHILDREN * i, MerkleTree.CHILDREN * (i + 1));
                    compare(some.get(i), children, candidates, deeper);
                }
            }
            level = deeper;
        }
        return candidates;
    }

    private void compare(Prefix prefix, List<Id> theirs, List<StoreEntry> candidates, List<Prefix> deeper) {
        List<MerkleTree.Summary> ours = index.children(replicas, prefix, range);
        for (int digit = 0; digit < MerkleTree.CHILDREN; digit++) {
            MerkleTree.Summary here = ours.get(digit);
            Id there = theirs.get(digit);
            if (here.entries() == 0 || here.hash().equals(there)) {
                continue;
            }
            Prefix child = prefix.child(digit);
            if (here.entries() <= MerkleTree.FEW || there.equals(MerkleTree.NOTHING)) {
                candidates.addAll(index.within(replicas, child, range));
            } else {
                deeper.add(child);
            }
        }
    }

    /** Takes those of some entries that the other peer does not have; it keeps the rest of them for a while. */
    @FunctionalInterface
    interface Taker {
        void take(List<StoreEntry> asked, List<StoreEntry> missing) throws IOException;
    }

    /** Asks which of these the other peer does not have, some at a time. */
    static void ask(RemotePeer other, List<StoreEntry> entries, Taker taker) throws IOException {
        for (List<StoreEntry> some : parts(entries, FileRequests.MAX_ENTRIES)) {
            taker.take(some, other.missing(some));
        }
    }

    private static <T> List<List<T>> parts(List<T> all, int size) {
        List<List<T>> parts = new ArrayList<>();
        for (int i = 0; i < all.size(); i += size) {
            parts.add(all.subList(i, Math.min(all.size(), i + size)));
        }
        return parts;
    }

    /** The other side of {@link RemotePeer#hashes}. */
    static void answerHashes(EntryIndex index, WireFrame question, FrameStream stream) throws IOException {
        FileRequests.Hashes asked = FileRequests.Hashes.read(question);
        FrameWriteBuffer answer = new FrameWriteBuffer();
        for (Prefix prefix : asked.prefixes()) {
            index.children(asked.replicas(), prefix, asked.range()).forEach(child -> answer.id(child.hash()));
        }
        stream.send(answer.frame(FrameTypes.HASHES));
    }

    /**
     * The other side of {@link RemotePeer#missing}.
     *
     * @param holds true if an entry, or a newer one, is here and will be for a while
     */
    static void answerMissing(Predicate<StoreEntry> holds, WireFrame question, FrameStream stream) throws IOException {
        List<StoreEntry> wanted = FileRequests.Compare.read(question).entries();
        BitSet missing = new BitSet(wanted.size());
        for (int i = 0; i < wanted.size(); i++) {
            missing.set(i, !holds.test(wanted.get(i)));
        }
        stream.send(new WireFrame(FrameTypes.MISSING, missing.toByteArray()));
    }
}
