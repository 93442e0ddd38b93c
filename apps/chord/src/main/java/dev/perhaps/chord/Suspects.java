package dev.perhaps.chord;

import java.util.LinkedHashMap;
import java.util.Map;

/** Members that missed a deadline recently: lookups avoid them for a while, or until they respond again. */
final class Suspects {
    private static final int MAX_SUSPECTS = 256;

    private final Map<Id, Long> untilMillis = new LinkedHashMap<>();

    void add(Member member, long untilMillis) {
        this.untilMillis.remove(member.id());
        this.untilMillis.put(member.id(), untilMillis);
        if (this.untilMillis.size() > MAX_SUSPECTS) {
            this.untilMillis.remove(this.untilMillis.keySet().iterator().next());
        }
    }

    void clear(Member member) {
        if (!untilMillis.isEmpty()) {
            untilMillis.remove(member.id());
        }
    }

    boolean contains(Member member, long nowMillis) {
        if (untilMillis.isEmpty()) {
            return false;
        }
        Long until = untilMillis.get(member.id());
        return until != null && nowMillis < until;
    }
}
