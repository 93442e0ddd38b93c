package dev.perhaps.chord.simulation;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.ProtocolMachine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The nodes of a simulation, numbered by rank on the circle, with the machines that currently run on them. */
final class SimulatedNodes {
    private final List<Member> members = new ArrayList<>();
    private final int[] hosts;
    private final @Nullable ProtocolMachine[] machines;
    private final int[] lives;

    SimulatedNodes(Scenario scenario) {
        for (int i = 0; i < scenario.nodes(); i++) {
            String host = "s" + scenario.seed() + "h" + i / scenario.virtualNodes();
            members.add(Member.at(host, i % scenario.virtualNodes()));
        }
        members.sort(Comparator.comparing(Member::id));
        hosts = new int[members.size()];
        for (int i = 0; i < hosts.length; i++) {
            String address = members.get(i).address();
            hosts[i] = Integer.parseInt(address.substring(address.indexOf('h') + 1));
        }
        machines = new ProtocolMachine[members.size()];
        lives = new int[members.size()];
    }

    int size() {
        return machines.length;
    }

    List<Member> members() {
        return members;
    }

    Member member(int node) {
        return members.get(node);
    }

    @Nullable
    ProtocolMachine machine(int node) {
        return machines[node];
    }

    boolean runs(int node) {
        return machines[node] != null;
    }

    boolean isMember(int node) {
        ProtocolMachine machine = machines[node];
        return machine != null && machine.isMember();
    }

    /** How often a node was started; two lives of it have nothing in common. */
    int life(int node) {
        return lives[node];
    }

    void start(int node, Protocol protocol, Scenario scenario) {
        lives[node]++;
        machines[node] = protocol.start(members.get(node), scenario.settings(), (long) lives[node] << 32);
    }

    void stop(int node) {
        machines[node] = null;
    }

    /** The nodes that run on the same host as this one, itself included. */
    long onHostOf(int node) {
        long nodes = 0;
        for (int i = 0; i < hosts.length; i++) {
            nodes |= hosts[i] == hosts[node] && machines[i] != null ? 1L << i : 0;
        }
        return nodes;
    }

    /** Returns true if every member knows exactly its neighbours. */
    boolean isIdeal(int length) {
        List<ProtocolMachine> ring = new ArrayList<>();
        for (int node = 0; node < machines.length; node++) {
            if (isMember(node)) {
                ring.add(Objects.requireNonNull(machines[node]));
            }
        }
        int n = ring.size();
        for (int i = 0; i < n; i++) {
            List<Member> list = ring.get(i).successors();
            for (int j = 0; j < list.size(); j++) {
                if (!list.get(j).is(ring.get((i + 1 + j) % n).self())) {
                    return false;
                }
            }
            Member before = ring.get((i + n - 1) % n).self();
            if (list.size() != length
                    || ring.get(i).predecessor().filter(before::is).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /** The member that is responsible for a key in the ideal ring of all there are. */
    Member owner(Id key) {
        Member first = null;
        for (int node = 0; node < machines.length; node++) {
            if (isMember(node)) {
                first = first == null ? members.get(node) : first;
                if (members.get(node).id().compareTo(key) >= 0) {
                    return members.get(node);
                }
            }
        }
        return Objects.requireNonNull(first);
    }

    /** Returns all members that are reachable from this one through members that know each other. */
    long acquainted(int node, Oracle oracle) {
        long known = 1L << node;
        long before = 0;
        while (known != before) {
            before = known;
            for (int i = 0; i < machines.length; i++) {
                if (isMember(i)) {
                    List<Member> its = Objects.requireNonNull(machines[i]).known();
                    long circle = oracle.entries(its) & oracle.members() | 1L << i;
                    known |= (circle & known) != 0 ? circle : 0;
                }
            }
        }
        return known;
    }
}
