package dev.perhaps.bench.placement;

import com.dynatrace.hash4j.consistent.ConsistentHashing;
import dev.perhaps.bench.Goal;
import dev.perhaps.bench.Measure;
import java.util.List;

/** The rows for placement: rings and jump hashes, ours and those of other libraries. */
final class PlaceRows {
    static final String RING = "ring";
    static final String TREE = "TreeMap ring";
    static final String JUMP = "jump";
    static final String HASH4J = "hash4j jumpBackHash";
    static final String GUAVA = "Guava consistentHash";

    private static final double FEW = 1.0 / 16;

    private PlaceRows() {}

    static List<PlaceRow> all() {
        return List.of(
                new PlaceRow(RING, PlaceLoops.OurRing::new, 1),
                new PlaceRow(TREE, PlaceLoops.Tree::new, 1),
                new PlaceRow("rendezvous", PlaceLoops.OurRendezvous::new, FEW),
                new PlaceRow(JUMP, PlaceLoops.OurJump::new, 1),
                new PlaceRow(
                        HASH4J,
                        nodes -> new PlaceLoops.Hash4jJump(nodes, ConsistentHashing.jumpBackHashSplitMix64()),
                        1),
                new PlaceRow(GUAVA, PlaceLoops.GuavaJump::new, 1));
    }

    /** The tree is what a ring is usually made of; the goals are against what most would take. */
    static List<Goal> goals() {
        return List.of(
                new Goal.Faster(RING, Measure.OWNER, TREE, 20),
                new Goal.Level(JUMP, Measure.OWNER, HASH4J),
                new Goal.Faster(JUMP, Measure.OWNER, GUAVA, 1));
    }
}
