package dev.perhaps.chord.simulation;

import dev.perhaps.chord.Event;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.Message;
import dev.perhaps.chord.ProtocolMachine;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** The latest events in readable form; members are named by rank, {@code n0} being the first on the circle. */
final class EventTrace {
    private static final int LINES = 60;

    private final SimulatedNodes nodes;
    private final Oracle oracle;
    private final Deque<String> lines = new ArrayDeque<>();

    EventTrace(SimulatedNodes nodes, Oracle oracle) {
        this.nodes = nodes;
        this.oracle = oracle;
    }

    void note(long nowMillis, String line) {
        if (lines.size() == LINES + nodes.size()) {
            lines.removeFirst();
        }
        lines.add(String.format(Locale.ROOT, "%,8d ms  %s", nowMillis, line));
    }

    /** Notes what every node knows. */
    void noteAll(long nowMillis) {
        for (int node = 0; node < nodes.size(); node++) {
            if (nodes.runs(node)) {
                note(nowMillis, "  " + shown(node));
            }
        }
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    /** Predecessor, node and successors. */
    String shown(int node) {
        ProtocolMachine machine = Objects.requireNonNull(nodes.machine(node));
        return (machine.isMember() ? "" : "(no member) ")
                + machine.predecessor().map(this::shown).orElse("nobody") + " < n" + node + " < "
                + shown(machine.successors());
    }

    private String shown(List<Member> list) {
        return String.join(" ", list.stream().map(this::shown).toList());
    }

    String shown(Member member) {
        int rank = oracle.rank(member);
        return rank < 0 ? "-" : "n" + rank;
    }

    String shown(Event event) {
        if (event instanceof Event.MessageReceived arrived) {
            return "from " + shown(arrived.from()) + ": "
                    + (arrived.message() instanceof Message.Neighbours around
                            ? shown(around.predecessor()) + " < it < " + shown(around.successors())
                            : arrived.message().getClass().getSimpleName());
        }
        return event instanceof Event.TimerFired fired
                ? fired.timer().toString()
                : event.getClass().getSimpleName();
    }
}
