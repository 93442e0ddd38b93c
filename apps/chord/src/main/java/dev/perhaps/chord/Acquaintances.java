package dev.perhaps.chord;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A limited number of members this peer has known; through them, separated rings find each other again. */
final class Acquaintances {
    /*
     * The members in the order in which they came, round and round: when there is no room, the one that has been
     * remembered longest makes some. Nobody is forgotten for not answering; a network can be cut for days.
     *
     * Who answers a question tells one of them, another each time. So what one peer knows, sooner or later all do: one
     * that joined during a cut learns of members on the other side it never met.
     */
    private final int most;
    private final List<Member> members = new ArrayList<>();
    private final Map<Id, Integer> places = new HashMap<>();
    private int oldest;
    private int turn;

    Acquaintances(int most) {
        this.most = most;
    }

    void add(Member member) {
        if (places.containsKey(member.id())) {
            return;
        }
        if (members.size() < most) {
            places.put(member.id(), members.size());
            members.add(member);
        } else {
            places.remove(members.set(oldest, member).id());
            places.put(member.id(), oldest);
            oldest = (oldest + 1) % most;
        }
    }

    boolean isFull() {
        return members.size() >= most;
    }

    /** One after the other, round and round. */
    Member next(Member ifNone) {
        if (members.isEmpty()) {
            return ifNone;
        }
        turn = (turn + 1) % members.size();
        return members.get(turn);
    }

    List<Member> all() {
        return List.copyOf(members);
    }

    /**
     * Returns the first member that is not avoided, beginning at a place chosen by the noise; null if there is none.
     */
    @Nullable
    Member pick(long noise, Avoidance avoided) {
        int size = members.size();
        for (int i = 0; i < size; i++) {
            Member member = members.get((int) Math.floorMod(noise + i, (long) size));
            if (!avoided.contains(member)) {
                return member;
            }
        }
        return null;
    }
}
