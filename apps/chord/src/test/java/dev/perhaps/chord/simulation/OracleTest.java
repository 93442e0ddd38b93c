package dev.perhaps.chord.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.chord.Effects;
import dev.perhaps.chord.Event;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.ProtocolMachine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class OracleTest {
    private static final int LENGTH = 3;

    @Test
    void countsPrincipalsAsTheDefinitionDoes() {
        SplittableRandom random = new SplittableRandom(5);
        for (int round = 0; round < 400; round++) {
            int nodes = round % 50 == 0 ? 64 : 2 + random.nextInt(20);
            List<Member> sorted = members(nodes);
            Oracle oracle = new Oracle(sorted, LENGTH);
            List<Fixed> machines = new ArrayList<>();
            for (int i = 0; i < nodes; i++) {
                if (random.nextInt(4) > 0) {
                    List<Member> list = new ArrayList<>();
                    int at = i;
                    for (int j = 0; j < LENGTH; j++) {
                        at = (at + 1 + random.nextInt(random.nextInt(4) == 0 ? nodes : 2)) % nodes;
                        list.add(sorted.get(at));
                    }
                    machines.add(new Fixed(sorted.get(i), list));
                    oracle.look(i, machines.get(machines.size() - 1));
                }
            }
            long principals = oracle.principals(oracle.members(), 0);
            for (Fixed machine : machines) {
                boolean skipped = machines.stream().anyMatch(other -> skips(other, machine.self.id()));
                boolean principal = (principals >>> sorted.indexOf(machine.self) & 1) != 0;
                assertThat(principal).isEqualTo(!skipped);
            }
            assertThat(oracle.allHaveLiveEntries(oracle.members()))
                    .isEqualTo(machines.stream()
                            .allMatch(machine -> machine.list.stream()
                                    .anyMatch(entry -> machines.stream().anyMatch(other -> other.self.is(entry)))));
        }
    }

    private static boolean skips(Fixed machine, Id id) {
        Member before = machine.self;
        for (Member entry : machine.list) {
            if (Id.between(before.id(), id, entry.id())) {
                return true;
            }
            before = entry;
        }
        return false;
    }

    @Test
    void asksForAllPrincipalsOnceTheyWereThere() {
        List<Member> ring = members(4);
        Oracle oracle = new Oracle(ring, LENGTH);
        for (int i = 0; i < 4; i++) {
            oracle.look(
                    i,
                    new Fixed(
                            ring.get(i), List.of(ring.get((i + 1) % 4), ring.get((i + 2) % 4), ring.get((i + 3) % 4))));
        }
        assertThat(oracle.broken()).isNull();
        oracle.raise(oracle.principals(oracle.members(), 0));
        assertThat(oracle.broken()).isNull();
        oracle.look(0, new Fixed(ring.get(0), List.of(ring.get(2), ring.get(3), ring.get(0))));
        assertThat(oracle.broken()).isEqualTo("3 principals where 4 are needed");
        oracle.look(0, null);
        oracle.look(2, null);
        oracle.look(3, null);
        assertThat(oracle.broken()).isEqualTo("n1 has no live successor");
    }

    private static List<Member> members(int nodes) {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            members.add(Member.at("host" + i, 0));
        }
        members.sort(Comparator.comparing(Member::id));
        return members;
    }

    /** A member that knows what it knows. */
    private record Fixed(Member self, List<Member> list) implements ProtocolMachine {
        @Override
        public void step(Event event, long nowMillis, Effects effects) {}

        @Override
        public boolean awaits(long request) {
            return false;
        }

        @Override
        public boolean isMember() {
            return true;
        }

        @Override
        public List<Member> successors() {
            return list;
        }

        @Override
        public Optional<Member> predecessor() {
            return Optional.empty();
        }

        @Override
        public List<Member> known() {
            return List.of();
        }
    }
}
