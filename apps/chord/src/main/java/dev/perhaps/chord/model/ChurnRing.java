package dev.perhaps.chord.model;

import dev.perhaps.hash.Mix;
import java.util.SplittableRandom;

/**
 * A ring under churn: members join and crash while all others stabilise at intervals, and lookups are compared with the
 * truth. The corrected operations of the protocol in primitive arrays, about 200 bytes per member; the same plan and
 * seed give the same history on every machine. Confined to one thread.
 */
public final class ChurnRing {
    /*
     * A member is a number; its tables are rows of numbers:
     *
     *     places        its place on the circle
     *     predecessors  one
     *     successors    r in a row, −1 where it knows no more
     *     fingers       the first member at or after place + 2^(63 − j), for j = 0, 1, …; those nearer than the successor
     *                   list are not needed
     *
     * A number is never used twice, so a table may name dead members, and a member that asks one waits for a timeout.
     * An operation is one event: it reads another member's tables and writes its own, at once. Messages take no time;
     * what is late is knowledge, since members look around only every 15 to 45 seconds. The state machine and its
     * simulation have the messages; here it is the numbers that count.
     *
     * Stabilise: drop dead successors; take the list of the first live one; if its predecessor lies between, that
     * one's; then notify the first, which rectifies its predecessor [2]. One finger per round is looked up again, in
     * turn. Join: look up its own place, take tables of the member before it, stabilise at once. Leave: crash without a
     * word. A member that lost all its successors joins again through one that it remembers; here, one by lot.
     *
     * Lookup: as in CrashedRing, and the owner checks that the key lies between its predecessor and itself; otherwise it
     * names its predecessor, and if that one is dead, the lookup goes on member by member to the one before the key. Without
     * that last walk 4.6 of 10,000 lookups were wrong at 0.4 joins per second, with it 1.1.
     *
     * [1] Stoica et al., "Chord" (2003), section on simultaneous failures and churn. [2] Zave, "Reasoning about identifier
     * spaces: how to make Chord correct" (2017).
     */
    private static final int NONE = -1;
    private static final int TICK_MILLIS = 10;
    private static final int TICKS_PER_SECOND = 1_000 / TICK_MILLIS;
    private static final int MAX_HOPS = 256;

    /**
     * What is simulated.
     *
     * @param members at the start, as an ideal ring
     * @param successors the length of successor lists
     * @param joinsPerSecond as a Poisson process, as many crashes
     * @param lookupsPerSecond of random keys by random members, as a Poisson process
     */
    public record Plan(
            int members, int successors, double joinsPerSecond, double lookupsPerSecond, int seconds, long seed) {
        public Plan {
            if (members < 2 || members > 1 << 24 || successors < 1 || successors >= members) {
                throw new IllegalArgumentException(
                        "members must be in [2, 2^24] and more than successors, got " + members + " and " + successors);
            }
        }
    }

    /**
     * What came of it.
     *
     * @param wrong lookups that named another member than the first live one at or after the key, or none
     * @param hops of all lookups together
     * @param timeouts of all lookups together
     * @param events operations and hops, those of repairing fingers included
     * @param joins that found a member to join behind; who does not comes no more
     * @param lost how often a member knew no live successor any more and joined again
     * @param tableBytes of all arrays
     * @param fingerprint of the history: the same for the same plan
     */
    public record Outcome(
            long lookups,
            long wrong,
            long hops,
            long timeouts,
            long events,
            long joins,
            long crashes,
            long lost,
            long tableBytes,
            long fingerprint) {}

    private final Plan plan;
    private final SplittableRandom random;
    private final int successorsEach;
    private final int fingersEach;
    private final long[] places;
    private final int[] predecessors;
    private final int[] successors;
    private final int[] fingers;
    private final byte[] nextFingers;
    private final LiveMembers live;
    private final TimerWheel wheel;
    private final int[] met = new int[MAX_HOPS];
    private int metCount;
    private int members;
    private int hops;
    /** The member whose list named the owner of the last lookup. */
    private int listedBy;

    private long lookups;
    private long wrong;
    private long hopsInAll;
    private long timeoutsInAll;
    private long events;
    private long joins;
    private long crashes;
    private long lost;
    private long fingerprint;

    private ChurnRing(Plan plan) {
        this.plan = plan;
        this.random = new SplittableRandom(plan.seed);
        double joinsExpected = plan.joinsPerSecond * plan.seconds;
        int most = plan.members + (int) (joinsExpected + 10 * Math.sqrt(joinsExpected) + 10);
        this.successorsEach = plan.successors;
        this.fingersEach = Integer.SIZE - Integer.numberOfLeadingZeros(plan.members / plan.successors) + 2;
        this.places = new long[most];
        this.predecessors = new int[most];
        this.successors = new int[most * successorsEach];
        this.fingers = new int[most * fingersEach];
        this.nextFingers = new byte[most];
        this.live = new LiveMembers(places, plan.members);
        this.wheel = new TimerWheel(60 * TICKS_PER_SECOND, most);
        begin();
    }

    public static Outcome run(Plan plan) {
        return new ChurnRing(plan).run();
    }

    /** An ideal ring, every member at another point of its interval. */
    private void begin() {
        long[] ideal = Circle.places(plan.members, random);
        System.arraycopy(ideal, 0, places, 0, ideal.length);
        members = plan.members;
        for (int member = 0; member < members; member++) {
            live.add(member);
            predecessors[member] = member == 0 ? members - 1 : member - 1;
            for (int i = 0; i < successorsEach; i++) {
                successors[member * successorsEach + i] = (member + 1 + i) % members;
            }
            wheel.set(member, 1 + random.nextInt(30 * TICKS_PER_SECOND));
        }
        for (int member = 0; member < members; member++) {
            for (int j = 0; j < fingersEach; j++) {
                fingers[member * fingersEach + j] = live.owner(fingerPlace(member, j));
            }
        }
    }

    private Outcome run() {
        long end = (long) plan.seconds * TICKS_PER_SECOND;
        double nextJoin = wait(plan.joinsPerSecond);
        double nextCrash = wait(plan.joinsPerSecond);
        double nextLookup = wait(plan.lookupsPerSecond);
        for (long tick = 1; tick <= end; tick++) {
            for (int member = wheel.take(tick); member != NONE; member = wheel.take(tick)) {
                if (live.has(member)) {
                    stabilise(member);
                    fixFinger(member);
                    wheel.set(member, tick + interval());
                }
            }
            for (; nextJoin <= tick; nextJoin += wait(plan.joinsPerSecond)) {
                join(tick);
            }
            for (; nextCrash <= tick; nextCrash += wait(plan.joinsPerSecond)) {
                crash();
            }
            for (; nextLookup <= tick; nextLookup += wait(plan.lookupsPerSecond)) {
                ask();
            }
        }
        return new Outcome(
                lookups, wrong, hopsInAll, timeoutsInAll, events, joins, crashes, lost, tableBytes(), fingerprint);
    }

    private long tableBytes() {
        long ints = (long) predecessors.length + successors.length + fingers.length;
        return Long.BYTES * (long) places.length
                + Integer.BYTES * ints
                + nextFingers.length
                + live.bytes()
                + wheel.bytes();
    }

    /** Ticks until a member stabilises again: 15 to 45 seconds. */
    private int interval() {
        return 15 * TICKS_PER_SECOND + random.nextInt(30 * TICKS_PER_SECOND + 1);
    }

    /** Ticks until the next arrival of a Poisson process. */
    private double wait(double ratePerSecond) {
        return ratePerSecond == 0
                ? Double.POSITIVE_INFINITY
                : -StrictMath.log(1 - random.nextDouble()) / ratePerSecond * TICKS_PER_SECOND;
    }

    private void ask() {
        long key = random.nextLong();
        int found = lookup(anybody(), key);
        lookups++;
        wrong += found == live.owner(key) ? 0 : 1;
        hopsInAll += hops;
        timeoutsInAll += metCount;
        fingerprint = Mix.finish(fingerprint + found + ((long) hops << 32));
    }

    private int anybody() {
        return live.byLot(random.nextInt(live.count()));
    }

    private void crash() {
        // Fewer than r + 1 members are no ring of this protocol.
        if (live.count() > successorsEach + 1) {
            int member = anybody();
            live.remove(member);
            crashes++;
            events++;
        }
    }

    private void join(long tick) {
        int member = members;
        if (members == places.length) {
            return;
        }
        places[member] = random.nextLong();
        if (!enter(member)) {
            return;
        }
        members++;
        live.add(member);
        joins++;
        stabilise(member);
        wheel.set(member, tick + interval());
    }

    /** Looks up its own place, and takes the tables of the member before it. */
    private boolean enter(int member) {
        events++;
        int owner = lookup(anybody(), places[member]);
        if (owner == NONE || owner == member) {
            return false;
        }
        // If the owner's predecessor is dead, the member whose list named the owner stands before it.
        int before = live.has(predecessors[owner]) ? predecessors[owner] : listedBy;
        if (!Circle.between(places[before], places[member], places[owner])) {
            return false;
        }
        predecessors[member] = before;
        System.arraycopy(fingers, before * fingersEach, fingers, member * fingersEach, fingersEach);
        int row = member * successorsEach;
        int taken = row;
        successors[taken++] = owner;
        for (int i = before * successorsEach; taken < row + successorsEach; i++) {
            boolean some = i < (before + 1) * successorsEach && successors[i] != NONE;
            if (!some) {
                successors[taken++] = NONE;
            } else if (!Circle.isIn(places[before], places[successors[i]], places[owner])) {
                successors[taken++] = successors[i];
            }
        }
        return true;
    }

    private void stabilise(int member) {
        int row = member * successorsEach;
        while (successors[row] != NONE && !live.has(successors[row])) {
            System.arraycopy(successors, row + 1, successors, row, successorsEach - 1);
            successors[row + successorsEach - 1] = NONE;
            events++;
        }
        int first = successors[row];
        if (first == NONE) {
            lost++;
            enter(member);
            return;
        }
        adopt(member, first);
        int between = predecessors[first];
        if (Circle.between(places[member], places[between], places[first]) && live.has(between)) {
            adopt(member, between);
            first = between;
        }
        rectify(first, member);
    }

    /** Takes this live member for the first successor, and its list behind it. */
    private void adopt(int member, int first) {
        int row = member * successorsEach;
        successors[row] = first;
        System.arraycopy(successors, first * successorsEach, successors, row + 1, successorsEach - 1);
        events++;
    }

    private void rectify(int member, int candidate) {
        int before = predecessors[member];
        if (Circle.between(places[before], places[candidate], places[member]) || !live.has(before)) {
            predecessors[member] = candidate;
        }
        events++;
    }

    private long fingerPlace(int member, int j) {
        return places[member] + (1L << Long.SIZE - 1 - j);
    }

    private void fixFinger(int member) {
        int j = nextFingers[member];
        nextFingers[member] = (byte) (j + 1 == fingersEach ? 0 : j + 1);
        int found = lookup(member, fingerPlace(member, j));
        if (found != NONE) {
            fingers[member * fingersEach + j] = found;
        }
    }

    /** The member that answers for a key, or −1 if no way was found. */
    private int lookup(int from, long key) {
        hops = 0;
        metCount = 0;
        int at = from;
        listedBy = from;
        if (isOwner(at, key)) {
            return at;
        }
        while (hops < MAX_HOPS) {
            hops++;
            events++;
            int owner = ownerInList(at, key);
            if (owner != NONE) {
                listedBy = at;
                return settled(owner, key);
            }
            at = closestPreceding(at, key);
            if (at == NONE) {
                return NONE;
            }
        }
        return NONE;
    }

    private boolean isOwner(int member, long key) {
        return Circle.isIn(places[predecessors[member]], key, places[member]);
    }

    /** Steps back until a member finds the key its own. */
    private int settled(int candidate, long key) {
        int owner = candidate;
        while (!isOwner(owner, key) && hops < MAX_HOPS) {
            int before = predecessors[owner];
            if (!isAlive(before)) {
                return approached(listedBy, key);
            }
            hops++;
            events++;
            owner = before;
        }
        return owner;
    }

    /**
     * The owner by the word of the closest live member before the key. Lists are the older the longer their way: one that
     * joined lately is known to the member before it, not yet to the twentieth before it.
     */
    private int approached(int from, long key) {
        int at = from;
        int next = precedingInList(at, key);
        while (next != NONE && hops < MAX_HOPS) {
            hops++;
            events++;
            at = next;
            next = precedingInList(at, key);
        }
        listedBy = at;
        return ownerInList(at, key);
    }

    /** The first live successor at or after the key, if the key lies within the list. */
    private int ownerInList(int member, long key) {
        int row = member * successorsEach;
        int last = row + successorsEach - 1;
        while (last > row && successors[last] == NONE) {
            last--;
        }
        if (successors[last] == NONE || !Circle.isIn(places[member], key, places[successors[last]])) {
            return NONE;
        }
        for (int i = row; i <= last; i++) {
            if (Circle.isIn(places[member], key, places[successors[i]]) && isAlive(successors[i])) {
                return successors[i];
            }
        }
        return NONE;
    }

    private int closestPreceding(int member, long key) {
        int row = member * fingersEach;
        long distance = key - places[member];
        for (int j = Long.numberOfLeadingZeros(distance); j < fingersEach; j++) {
            int finger = fingers[row + j];
            if (Circle.between(places[member], places[finger], key) && isAlive(finger)) {
                return finger;
            }
        }
        return precedingInList(member, key);
    }

    private int precedingInList(int member, long key) {
        for (int i = successorsEach - 1; i >= 0; i--) {
            int successor = successors[member * successorsEach + i];
            if (successor != NONE && Circle.between(places[member], places[successor], key) && isAlive(successor)) {
                return successor;
            }
        }
        return NONE;
    }

    /** Counts a timeout for each dead member that a lookup meets, once. */
    private boolean isAlive(int member) {
        if (live.has(member)) {
            return true;
        }
        for (int i = 0; i < metCount; i++) {
            if (met[i] == member) {
                return false;
            }
        }
        if (metCount < met.length) {
            met[metCount++] = member;
            events++;
        }
        return false;
    }
}
