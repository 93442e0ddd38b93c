package dev.perhaps.chord.simulation;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.Message;
import dev.perhaps.chord.ProtocolMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The successor lists in responses that have not arrived yet. */
final class ListsInFlight {
    /*
     * The proof of the protocol takes asking and answering for one step. Between the two, here, somebody can join or
     * crash, and the answer, when it comes, is adopted as it is. What is adopted is one of three lists:
     *
     *     Neighbours from the successor or the saved one   [it] + its list without the last
     *     Neighbours to one that joins                     its list
     *     NotMember, or a deadline that decides,
     *     though the member has come back since         its own list without the first
     *
     * A crash must leave those a live entry too, and a member that they skip must not be counted as a principal.
     */
    private final SimulatedNodes nodes;
    private final Oracle oracle;
    private final long among;
    private long skipped;
    private boolean live = true;

    /** @param among the members that remain */
    ListsInFlight(Agenda agenda, SimulatedNodes nodes, Oracle oracle, long among) {
        this.nodes = nodes;
        this.oracle = oracle;
        this.among = among;
        agenda.forEach(this::look);
    }

    /** All nodes that some of the lists skip. */
    long skipped() {
        return skipped;
    }

    /** Returns true if every list holds one of the members that remain. */
    boolean allHaveLiveEntries() {
        return live;
    }

    private void look(Agenda.Entry entry) {
        ProtocolMachine machine = nodes.machine(entry.node);
        boolean matters = entry.kind == Agenda.Kind.MESSAGE || entry.kind == Agenda.Kind.DEADLINE;
        if (machine == null || !matters || !machine.awaits(entry.request)) {
            return;
        }
        if (entry.kind == Agenda.Kind.DEADLINE) {
            if (entry.decides && nodes.life(entry.target) != entry.life) {
                withoutFirst(entry.node, machine, nodes.member(entry.target));
            }
        } else if (entry.message instanceof Message.NotMember) {
            withoutFirst(entry.node, machine, Objects.requireNonNull(entry.from));
        } else if (entry.message instanceof Message.Neighbours around) {
            adopted(entry.node, machine, Objects.requireNonNull(entry.from), around.successors());
        }
    }

    private void withoutFirst(int node, ProtocolMachine machine, Member first) {
        List<Member> list = machine.successors();
        if (machine.isMember() && !list.isEmpty() && list.get(0).is(first)) {
            add(node, list.subList(1, list.size()));
        }
    }

    private void adopted(int node, ProtocolMachine machine, Member from, List<Member> list) {
        if (!machine.isMember()) {
            add(node, list);
            return;
        }
        Member first = machine.successors().get(0);
        if (from.is(first) || Id.between(machine.self().id(), from.id(), first.id())) {
            List<Member> all = new ArrayList<>(list.subList(0, list.size() - 1));
            all.add(0, from);
            add(node, all);
        }
    }

    private void add(int node, List<Member> list) {
        if ((among >>> node & 1) != 0 || !oracle.isMember(node)) {
            skipped |= oracle.skippedBy(node, list);
            live &= (oracle.entries(list) & among) != 0;
        }
    }
}
