package dev.perhaps.chord.simulation;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.ProtocolMachine;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sees all peers at once, and checks the invariant. */
final class Oracle {
    /*
     * The invariant: every member has a live entry in its successor list, and enough members are principals, which is
     * skipped by no pair that stands side by side in any member's [self] + succ.
     *
     * Nodes are numbered by rank on the circle and sets of them are the bits of a long, so that the nodes which a pair
     * (a, b) skips are a run of bits, and the whole check is a few operations per member.
     *
     * Enough is r + 1 from the moment at which there are r + 1; in a ring that grows from one, it is one before that.
     */
    private final Map<Id, Integer> ranks = new HashMap<>();
    private final int nodes;
    private final int length;
    private final long[] entries;
    private final long[] skipped;
    private long members;
    private int required = 1;

    Oracle(List<Member> sorted, int length) {
        this.nodes = sorted.size();
        this.length = length;
        this.entries = new long[nodes];
        this.skipped = new long[nodes];
        for (int i = 0; i < nodes; i++) {
            ranks.put(sorted.get(i).id(), i);
        }
    }

    /** Returns the rank of a member; −1 if it is not a member. */
    int rank(Member member) {
        Integer rank = member.isNobody() ? null : ranks.get(member.id());
        return rank == null ? -1 : rank;
    }

    long members() {
        return members;
    }

    int required() {
        return required;
    }

    boolean isMember(int node) {
        return (members >>> node & 1) != 0;
    }

    /** Looks at one node again. */
    void look(int node, @Nullable ProtocolMachine machine) {
        if (machine == null || !machine.isMember()) {
            members &= ~(1L << node);
            entries[node] = 0;
            skipped[node] = 0;
        } else {
            members |= 1L << node;
            entries[node] = entries(machine.successors());
            skipped[node] = skippedBy(node, machine.successors());
        }
    }

    long entries(List<Member> list) {
        long mask = 0;
        for (int i = 0; i < list.size(); i++) {
            int rank = rank(list.get(i));
            mask |= rank < 0 ? 0 : 1L << rank;
        }
        return mask;
    }

    /** Returns all nodes that some pair of [node] + list skips; the placeholders at the end of a list skip none. */
    long skippedBy(int node, List<Member> list) {
        long mask = 0;
        int before = node;
        for (int i = 0; i < list.size(); i++) {
            int rank = rank(list.get(i));
            if (rank >= 0) {
                mask |= open(before, rank);
                before = rank;
            }
        }
        return mask;
    }

    /** The ranks from a clockwise to b, without either; all but a if they are the same. */
    private long open(int a, int b) {
        long upToB = (1L << b) - 1;
        long beyondA = nodes == 64 ? -2L << a : (-2L << a) & ((1L << nodes) - 1);
        return a < b ? beyondA & upToB : beyondA | upToB;
    }

    /** The principals among these members, if lists that are still on their way skip some more. */
    long principals(long among, long alsoSkipped) {
        long skips = alsoSkipped;
        for (long rest = among; rest != 0; rest &= rest - 1) {
            skips |= skipped[Long.numberOfTrailingZeros(rest)];
        }
        return among & ~skips;
    }

    /** Returns true if each of these members has one of them in its list. */
    boolean allHaveLiveEntries(long among) {
        for (long rest = among; rest != 0; rest &= rest - 1) {
            if ((entries[Long.numberOfTrailingZeros(rest)] & among) == 0) {
                return false;
            }
        }
        return true;
    }

    /** From now on r + 1 principals are required, if at least that many are there for good. */
    void raise(long lasting) {
        if (Long.bitCount(lasting) > length) {
            required = length + 1;
        }
    }

    boolean mayRaise() {
        return required <= length && Long.bitCount(principals(members, 0)) > length;
    }

    /** What is broken, or null. */
    @Nullable
    String broken() {
        for (long rest = members; rest != 0; rest &= rest - 1) {
            int node = Long.numberOfTrailingZeros(rest);
            if ((entries[node] & members) == 0) {
                return "n" + node + " has no live successor";
            }
        }
        int principals = Long.bitCount(principals(members, 0));
        return principals >= required || members == 0
                ? null
                : principals + " principals where " + required + " are needed";
    }
}
