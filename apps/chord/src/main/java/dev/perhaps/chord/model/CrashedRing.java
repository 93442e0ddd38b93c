package dev.perhaps.chord.model;

import java.util.SplittableRandom;

/**
 * A ring that was ideal, of which a share has crashed at once, before anybody could repair a table. Lookups find their way by
 * what is left of fingers and successor lists, and count hops and timeouts. Confined to one thread.
 */
public final class CrashedRing {
    /*
     * The asker leads its lookup (iterative): it remembers who did not answer, and so waits for each dead member once. At each
     * member it takes the closest live one before the key, of fingers and successors together; once the key lies within a
     * member's successor list, the first live one of the list at or after the key is the owner, one hop away.
     *
     * With r successors that takes ½·log2 N − ½·log2 r + 1 hops while all are alive [1].
     *
     * [1] Stoica, Morris, Liben-Nowell, Karger, Kaashoek, Dabek and Balakrishnan, "Chord: a scalable peer-to-peer lookup
     * protocol for Internet applications" (2003).
     */
    private static final int BITS = Long.SIZE;

    private final long[] places;
    private final boolean[] dead;
    private final int successors;
    /** Which lookup met a dead member last. */
    private final int[] metBy;

    private int lookup;
    private int hops;
    private int timeouts;

    private CrashedRing(long[] places, boolean[] dead, int successors) {
        this.places = places;
        this.dead = dead;
        this.successors = successors;
        this.metBy = new int[places.length];
    }

    /** So many members with successor lists of this length, of which a share is dead. */
    public static CrashedRing of(int members, int successors, double deadShare, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] places = Circle.places(members, random);
        boolean[] dead = new boolean[members];
        for (int left = (int) Math.round(members * deadShare); left > 0; ) {
            int member = random.nextInt(members);
            left -= dead[member] ? 0 : 1;
            dead[member] = true;
        }
        return new CrashedRing(places, dead, successors);
    }

    public boolean isDead(int member) {
        return dead[member];
    }

    /** The member that should answer for a key: the first live one at or after it. */
    public int owner(long key) {
        int member = Circle.successor(places, key);
        while (dead[member]) {
            member = after(member, 1);
        }
        return member;
    }

    /** The member that a lookup from a live one ends at, or −1 if it finds no way. */
    public int lookup(int from, long key) {
        lookup++;
        hops = 0;
        timeouts = 0;
        int target = Circle.successor(places, key);
        int at = from;
        while (at != target) {
            int steps = steps(at, target);
            int owner = firstLive(at, steps);
            hops++;
            if (owner >= 0) {
                return owner;
            }
            at = closestPreceding(at, key, steps);
            if (at < 0) {
                return -1;
            }
        }
        return at;
    }

    /** Hops of the last lookup. */
    public int hops() {
        return hops;
    }

    /** Dead members that the last lookup waited for. */
    public int timeouts() {
        return timeouts;
    }

    private int after(int member, int steps) {
        return (member + steps) % places.length;
    }

    private int steps(int from, int to) {
        return to - from + (to < from ? places.length : 0);
    }

    /** The first live successor at this number of steps or more, if the list reaches that far and has one. */
    private int firstLive(int member, int steps) {
        for (int step = steps; step <= successors; step++) {
            if (isAlive(after(member, step))) {
                return after(member, step);
            }
        }
        return -1;
    }

    /** The farthest live member before a key this number of steps away: of the fingers, then of the successors. */
    private int closestPreceding(int member, long key, int steps) {
        long place = places[member];
        for (int k = BITS - 1 - Long.numberOfLeadingZeros(key - place); k >= 0; k--) {
            int finger = Circle.successor(places, place + (1L << k));
            if (steps(member, finger) <= successors) {
                break;
            }
            if (Circle.between(place, places[finger], key) && isAlive(finger)) {
                return finger;
            }
        }
        for (int step = Math.min(successors, steps - 1); step > 0; step--) {
            if (isAlive(after(member, step))) {
                return after(member, step);
            }
        }
        return -1;
    }

    private boolean isAlive(int member) {
        if (dead[member] && metBy[member] != lookup) {
            metBy[member] = lookup;
            timeouts++;
        }
        return !dead[member];
    }
}
