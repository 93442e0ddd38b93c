package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Range;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Hashes that depend on the entries of a range, and on nothing else. */
class MerkleTreeTest {
    private static final Range ALL = new Range(MerkleTree.NOTHING, MerkleTree.NOTHING);

    private static StoreEntry entry(int i) {
        return StoreEntry.file(Id.hashOf("file" + i), 1, i, 3);
    }

    private static MerkleTree of(Iterable<StoreEntry> entries) {
        MerkleTree tree = new MerkleTree();
        entries.forEach(tree::add);
        return tree;
    }

    @Test
    void theOrderOfComingAndGoingLeavesNoTrace() {
        Random random = new Random(7);
        List<StoreEntry> some = new ArrayList<>();
        List<StoreEntry> more = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            (i % 10 == 0 ? some : more).add(entry(i));
        }
        MerkleTree plain = of(some);
        List<StoreEntry> both = new ArrayList<>(some);
        both.addAll(more);
        Collections.shuffle(both, random);
        MerkleTree tree = of(both);
        assertThat(tree.size()).isEqualTo(3_000);
        assertThat(tree.children(Prefix.ALL, ALL)).isNotEqualTo(plain.children(Prefix.ALL, ALL));
        Collections.shuffle(more, random);
        more.forEach(tree::remove);
        assertThat(tree.children(Prefix.ALL, ALL)).isEqualTo(plain.children(Prefix.ALL, ALL));
        some.forEach(tree::remove);
        assertThat(tree.children(Prefix.ALL, ALL)).containsOnly(MerkleTree.Summary.NONE);
    }

    /** Against a tree of just the entries of the range; ranges that wrap, that are tiny and that are all. */
    @Test
    void whatIsOutsideARangeDoesNotMatter() {
        Random random = new Random(8);
        TreeMap<Id, StoreEntry> all = new TreeMap<>();
        for (int i = 0; i < 2_000; i++) {
            all.put(entry(i).key(), entry(i));
        }
        List<Id> keys = List.copyOf(all.keySet());
        MerkleTree tree = of(all.values());
        for (int i = 0; i < 300; i++) {
            int at = random.nextInt(keys.size());
            Id from = i % 3 == 0 ? Id.hashOf("from" + i) : keys.get(at);
            Id to = switch (i % 4) {
                case 0 -> Id.hashOf("to" + i);
                case 1 -> keys.get((at + 1 + random.nextInt(30)) % keys.size());
                case 2 -> keys.get(Math.floorMod(at - 1 - random.nextInt(30), keys.size()));
                default -> from;
            };
            Range range = new Range(from, to);
            MerkleTree alone = of(all.values().stream()
                    .filter(entry -> range.contains(entry.key()))
                    .toList());
            Prefix prefix = Prefix.ALL;
            for (int depth = 0; depth < 4; depth++) {
                assertThat(tree.children(prefix, range))
                        .as("%s of %s", prefix, range)
                        .isEqualTo(alone.children(prefix, ALL));
                assertThat(tree.entries(prefix, range)).isEqualTo(alone.entries(prefix, ALL));
                prefix = prefix.child(random.nextBoolean() ? to.digit(depth) : random.nextInt(16));
            }
        }
    }

    @Test
    void aHashChangesWithEveryFieldOfAnEntry() {
        StoreEntry entry = entry(1);
        List<StoreEntry> others = List.of(
                entry.deleted(),
                StoreEntry.file(entry.key(), 2, 1, 3),
                StoreEntry.file(entry.key(), 1, 2, 3),
                StoreEntry.file(entry.key(), 1, 1, 4),
                new StoreEntry(entry.key(), "", Id.hashOf("x"), 1, true, 1, 3));
        for (StoreEntry other : others) {
            assertThat(of(List.of(other)).children(Prefix.ALL, ALL))
                    .isNotEqualTo(of(List.of(entry)).children(Prefix.ALL, ALL));
        }
    }
}
