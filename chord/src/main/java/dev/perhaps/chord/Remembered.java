package dev.perhaps.chord;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Members this peer has ever known, the latest so many; through them rings that had separated find each other again. */
final class Remembered {
    private final int most;
    private final Map<Id, Member> members = new LinkedHashMap<>();

    Remembered(int most) {
        this.most = most;
    }

    void add(Member member) {
        if (members.put(member.id(), member) == null && members.size() > most) {
            members.remove(members.keySet().iterator().next());
        }
    }

    List<Member> all() {
        return List.copyOf(members.values());
    }

    /** One of those that are not to be avoided, as the noise has it; null if there is none. */
    @Nullable
    Member pick(long noise, Avoided avoided) {
        List<Member> choice = members.values().stream()
                .filter(member -> !avoided.contains(member))
                .toList();
        return choice.isEmpty() ? null : choice.get((int) Math.floorMod(noise, (long) choice.size()));
    }
}
