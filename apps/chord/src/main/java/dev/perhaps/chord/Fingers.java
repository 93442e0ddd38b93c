package dev.perhaps.chord;

import org.jspecify.annotations.Nullable;

/** Shortcuts: finger k is the first member at a distance of at least 2^k. Lookups are correct without them, and short with them. */
final class Fingers {
    /*
     * Fingers whose beginning self + 2^k lies before the successor would all be the successor; they are left empty. So
     * about log2 n are set, from the farthest down to `lowest`.
     *
     * A finger that missed a deadline is dropped at once, for suspicion is reason enough to take another way: until it is
     * looked up again, the next lower finger serves, at last the successor list. Asking the next higher one, as is taught,
     * sends the question round the whole ring, for that one lies beyond the target.
     */
    private final Peer peer;
    private final @Nullable Member[] fingers = new Member[Id.BITS];
    private int lowest = Id.BITS;
    private int next = Id.BITS - 1;

    Fingers(Peer peer) {
        this.peer = peer;
    }

    @Nullable
    Member get(int k) {
        return fingers[k];
    }

    void set(int k, Member member) {
        if (member.is(peer.self())) {
            fingers[k] = null;
            return;
        }
        fingers[k] = member;
        lowest = Math.min(lowest, k);
        peer.remember(member);
    }

    /** Forgets a member that does not answer. */
    void drop(Member member) {
        for (int k = Id.BITS - 1; k >= lowest; k--) {
            Member finger = fingers[k];
            if (finger != null && finger.is(member)) {
                fingers[k] = null;
                next = k;
            }
        }
    }

    /** Others say that this one does not answer: its finger is the next to be looked up. */
    void doubt(Member member) {
        for (int k = Id.BITS - 1; k >= lowest; k--) {
            Member finger = fingers[k];
            if (finger != null && finger.is(member)) {
                next = k;
                return;
            }
        }
    }

    /** Which finger to look up now: one after the other, from the farthest to the first that is the successor. */
    int nextToRepair() {
        int k = next;
        Id self = peer.self().id();
        if (Id.betweenClosed(
                self, self.plusPowerOfTwo(k), peer.neighbours().first().id())) {
            for (int i = lowest; i <= k; i++) {
                fingers[i] = null;
            }
            lowest = Math.max(lowest, k + 1);
            k = Id.BITS - 1;
        }
        next = k == 0 ? Id.BITS - 1 : k - 1;
        return k;
    }

    /** The farthest finger before the key that is not to be avoided. */
    @Nullable
    Member before(Id key, Avoidance avoided) {
        for (int k = Id.BITS - 1; k >= lowest; k--) {
            Member finger = fingers[k];
            if (finger != null && Id.between(peer.self().id(), finger.id(), key) && !avoided.contains(finger)) {
                return finger;
            }
        }
        return null;
    }
}
