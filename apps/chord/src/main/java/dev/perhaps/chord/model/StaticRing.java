package dev.perhaps.chord.model;

import java.util.SplittableRandom;

/**
 * A ring at rest: predecessors and successors are right, and fingers are right for those members that fingers know. Counts the
 * hops of lookups that use fingers and the successor only, to the key's predecessor. Immutable.
 */
public final class StaticRing {
    /*
     * Nothing is stored but the places: finger k of a member is the first known member at or after its place + 2^k, and is
     * searched for when it is asked. From a member at distance d before the key, the closest preceding finger is one with
     * 2^k < d; k counts down from ⌊log2 d⌋ until the finger lies before the key.
     */
    private final long[] members;
    private final long[] known;

    private StaticRing(long[] members, long[] known) {
        this.members = members;
        this.known = known;
    }

    /** So many members at random places, all known to the fingers. */
    public static StaticRing of(int members, long seed) {
        long[] places = Circle.places(members, new SplittableRandom(seed));
        return new StaticRing(places, places);
    }

    /** Twice as many members, of which every finger still knows the older half only. */
    public static StaticRing joined(int before, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] old = Circle.places(before, random);
        long[] all = Circle.places(before, random);
        long[] both = new long[2 * before];
        for (int i = 0, a = 0, b = 0; i < both.length; i++) {
            boolean first = b == before || a < before && Long.compareUnsigned(old[a], all[b]) <= 0;
            both[i] = first ? old[a++] : all[b++];
        }
        return new StaticRing(both, old);
    }

    public int members() {
        return members.length;
    }

    /** The member that has a key: the first at or after it. */
    public int owner(long key) {
        return Circle.successor(members, key);
    }

    /** Hops from a member to the one before the key's owner. */
    public int hops(int from, long key) {
        int at = from;
        int hops = 0;
        while (!Circle.isIn(members[at], key, members[next(at)])) {
            at = closestPreceding(at, key);
            hops++;
        }
        return hops;
    }

    private int next(int member) {
        return member + 1 == members.length ? 0 : member + 1;
    }

    private int closestPreceding(int member, long key) {
        long place = members[member];
        long distance = key - place;
        for (int k = Long.SIZE - 1 - Long.numberOfLeadingZeros(distance); k >= 0; k--) {
            long finger = known[Circle.successor(known, place + (1L << k))];
            if (Circle.between(place, finger, key)) {
                return Circle.successor(members, finger);
            }
        }
        return next(member);
    }
}
