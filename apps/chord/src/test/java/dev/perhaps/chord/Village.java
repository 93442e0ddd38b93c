package dev.perhaps.chord;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;

/** Peers whose messages arrive at once and in order, and whose timers run down when a test says so. */
final class Village {
    private final Settings settings;
    private final Map<Id, Peer> peers = new LinkedHashMap<>();
    private final Set<Id> dead = new HashSet<>();
    private final Deque<Runnable> due = new ArrayDeque<>();
    private final List<String> handOvers = new ArrayList<>();
    private final List<String> takeOvers = new ArrayList<>();
    private final List<Member> asked = new ArrayList<>();
    private final Map<Long, Answer> answers = new LinkedHashMap<>();
    private BiPredicate<Member, Member> reaches = (from, to) -> true;
    private Optional<Member> refusedFor = Optional.empty();
    private long nowMillis;
    private long noise;
    private long lives = 1;

    Village(Settings settings) {
        this.settings = settings;
    }

    /** A member that stands at this hundredth of the circle. */
    static Member at(int hundredth) {
        return at(hundredth, "peer" + hundredth);
    }

    static Member at(int hundredth, String address) {
        byte[] bytes = new byte[20];
        bytes[0] = (byte) (hundredth * 256 / 100);
        return new Member(Id.of(bytes), address);
    }

    Peer peer(Member member) {
        return peers.computeIfAbsent(member.id(), id -> new Peer(member, settings, lives++ << 32));
    }

    @CanIgnoreReturnValue
    Peer begin(Member member) {
        tell(member, new Event.CreateRequest());
        return peer(member);
    }

    void place(Member... ring) {
        for (Member member : ring) {
            tell(member, new Event.BootstrapRequest(List.of(ring)));
        }
    }

    @CanIgnoreReturnValue
    Peer join(Member member, Member contact) {
        tell(member, new Event.JoinRequest(List.of(contact)));
        return peer(member);
    }

    /** Lets a stranger with an id of a member knock; it is not put among the peers. */
    Optional<Member> knock(Member stranger, Member contact) {
        Peer peer = new Peer(stranger, settings, lives++ << 32);
        Deque<Runnable> later = new ArrayDeque<>();
        Effects effects = new Recorder(stranger) {
            @Override
            public void ask(Member to, long request, Message message, int deadlineMillis, boolean decides) {
                peer(to).step(new Event.MessageReceived(stranger, request, message), nowMillis, new Recorder(to) {
                    @Override
                    public void tell(Member back, long number, Message answer) {
                        later.add(() -> peer.step(new Event.MessageReceived(to, number, answer), nowMillis, outer()));
                    }
                });
            }

            private Effects outer() {
                return this;
            }
        };
        peer.step(new Event.JoinRequest(List.of(contact)), nowMillis, effects);
        while (!later.isEmpty()) {
            later.remove().run();
        }
        return refusedFor;
    }

    void tell(Member member, Event event) {
        due.add(() -> peer(member).step(event, nowMillis, new Recorder(member)));
        run();
    }

    /** Lets a timer of every live member run down, a number of times. */
    void round(Timer timer, int times) {
        for (int i = 0; i < times; i++) {
            nowMillis += settings.stabilizeMillis();
            for (Peer peer : List.copyOf(peers.values())) {
                if (!dead.contains(peer.self().id())) {
                    tell(peer.self(), new Event.TimerFired(timer, noise += 7));
                }
            }
        }
    }

    void settle() {
        round(Timer.STABILIZE, 40);
    }

    void crash(Member... members) {
        for (Member member : members) {
            dead.add(member.id());
        }
    }

    /** The same member with nothing in its memory. */
    void restart(Member member, Member contact) {
        dead.remove(member.id());
        peers.remove(member.id());
        join(member, contact);
    }

    void reach(BiPredicate<Member, Member> rule) {
        reaches = rule;
    }

    Answer lookup(Member from, Id key) {
        long ticket = ++noise;
        asked.clear();
        tell(from, new Event.LookupRequest(ticket, key));
        return Optional.ofNullable(answers.remove(ticket)).orElseThrow();
    }

    /** Who was asked since the last lookup began. */
    List<Member> asked() {
        return asked;
    }

    List<String> handOvers() {
        return handOvers;
    }

    List<String> takeOvers() {
        return takeOvers;
    }

    /** True if every live member knows exactly its neighbours. */
    boolean isIdeal() {
        List<Member> ring = peers.values().stream()
                .filter(peer -> !dead.contains(peer.self().id()) && peer.isMember())
                .map(Peer::self)
                .sorted(Comparator.comparing(Member::id))
                .toList();
        int n = ring.size();
        for (int i = 0; i < n; i++) {
            Peer peer = peer(ring.get(i));
            for (int j = 0; j < settings.successors(); j++) {
                if (!peer.successors().get(j).equals(ring.get((i + 1 + j) % n))) {
                    return false;
                }
            }
            if (!peer.predecessor().orElseThrow().equals(ring.get((i + n - 1) % n))) {
                return false;
            }
        }
        return true;
    }

    private void run() {
        while (!due.isEmpty()) {
            due.remove().run();
        }
    }

    private boolean arrives(Member from, Member to) {
        return !dead.contains(to.id()) && !dead.contains(from.id()) && reaches.test(from, to);
    }

    private void deliver(Member from, Member to, long request, Message message) {
        if (arrives(from, to)) {
            due.add(() ->
                    peer(to).step(new Event.MessageReceived(from, request, message), nowMillis, new Recorder(to)));
        }
    }

    private class Recorder implements Effects {
        private final Member self;

        Recorder(Member self) {
            this.self = self;
        }

        @Override
        public void ask(Member to, long request, Message message, int deadlineMillis, boolean decides) {
            asked.add(to);
            deliver(self, to, request, message);
            if (!arrives(self, to) || !arrives(to, self)) {
                due.add(() -> peer(self).step(new Event.RequestTimeout(request), nowMillis, new Recorder(self)));
            }
        }

        @Override
        public void tell(Member to, long request, Message message) {
            deliver(self, to, request, message);
        }

        @Override
        public void wake(Timer timer, long afterMillis) {
            if (afterMillis < 0) {
                throw new AssertionError("a timer of " + afterMillis + " ms");
            }
        }

        @Override
        public void answer(long ticket, Answer answer) {
            answers.put(ticket, answer);
        }

        @Override
        public void handOver(Range range, Member to) {
            handOvers.add(self.address() + " gives " + range + " to " + to.address());
        }

        @Override
        public void takeOver(Range range) {
            takeOvers.add(self.address() + " has " + range);
        }

        @Override
        public void changed() {}

        @Override
        public void refused(Member other) {
            refusedFor = Optional.of(other);
        }
    }
}
