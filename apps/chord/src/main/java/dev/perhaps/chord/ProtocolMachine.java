package dev.perhaps.chord;

import java.util.List;
import java.util.Optional;

/**
 * The interface of a protocol to its transport: it takes events, and requests effects. Confined to one thread at a
 * time.
 */
public interface ProtocolMachine {
    /** Returns its own place on the circle. */
    Member self();

    /** Takes one event at this time, and reports its effects. Times never go back. */
    void step(Event event, long nowMillis, Effects effects);

    /** Returns true while the answer to this request would change anything. */
    boolean awaits(long request);

    /** True from joining to leaving. */
    boolean isMember();

    /** The successor list, nearest first. */
    List<Member> successors();

    /** Returns the member before it, if it knows one. */
    Optional<Member> predecessor();

    /** The members through which it may find a ring again that it lost, alive or not. */
    List<Member> known();
}
