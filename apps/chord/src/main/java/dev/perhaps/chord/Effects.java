package dev.perhaps.chord;

/** The actions that a peer requests during {@link ProtocolMachine#step}, in the order in which they are to happen. */
public interface Effects {
    /**
     * Sends a request. If no response with this number has been received after this number of milliseconds,
     * {@link Event.RequestTimeout} is due; late responses may still be delivered.
     *
     * @param decides true if missing this deadline makes the peer take {@code to} for dead
     */
    void ask(Member to, long request, Message message, int deadlineMillis, boolean decides);

    /** Sends a response or a notice, for which no response is expected. */
    void tell(Member to, long request, Message message);

    /** Sets a timer: {@link Event.TimerFired} is due after this number of milliseconds. */
    void wake(Timer timer, long afterMillis);

    /** Returns the result of a lookup that was requested. */
    void answer(long ticket, Answer answer);

    /**
     * Keys of this range now belong to another: it gets copies, and only then may ours be dropped. A peer that leaves waits
     * for {@link Event.HandoverDone}; the last one of a ring hands them over to itself.
     */
    void handOver(Range range, Member to);

    /** Keys of this range now belong to this peer. */
    void takeOver(Range range);

    /** Status, predecessor or successors are not what they were. */
    void changed();

    /** Reports that joining was refused for good, since another member has this peer's place. */
    void refused(Member other);
}
