package dev.perhaps.lab.ring;

import dev.perhaps.chord.Answer;
import dev.perhaps.chord.Effects;
import dev.perhaps.chord.Event;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.Message;
import dev.perhaps.chord.ProtocolMachine;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.Settings;
import dev.perhaps.chord.Timer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Chord as it was first published, which is not correct. Only an experiment uses it, to show that the oracle detects
 * that.
 */
final class OriginalPeer implements ProtocolMachine {
    /*
     * The operations of [1], with the successor list of its section on failures:
     *
     *     join          successor := find_successor(self), from any peer; predecessor := none
     *     stabilize     x := successor's predecessor; if x stands between: successor := x, without asking x
     *                   notify the successor; the list := successor + its list without the last
     *     notified      no predecessor, or n is nearer: predecessor := n
     *     check         predecessor dead: predecessor := none
     *     a dead successor is replaced by the next entry of the list, which so becomes shorter
     *
     * It has the same messages, deadlines and attempts as Peer, and no fingers: correctness does not depend on them.
     *
     * [1] Stoica et al., "Chord: a scalable peer-to-peer lookup protocol for Internet applications" (2003).
     */
    private enum Purpose {
        STABILIZE,
        CHECK,
        JOIN,
        LOOKUP
    }

    /** A question that was asked. */
    private record Asked(Purpose purpose, Member of, int attempt, Message message, long ticket) {}

    private final Member self;
    private final Settings settings;
    private final Map<Long, Asked> asked = new HashMap<>();
    private final List<Member> known = new ArrayList<>();
    private List<Member> successors = List.of();
    private @Nullable Member predecessor;
    private boolean member;
    private List<Member> contacts = List.of();
    private long lastRequest;

    OriginalPeer(Member self, Settings settings, long firstRequest) {
        this.self = self;
        this.settings = settings;
        this.lastRequest = firstRequest;
    }

    @Override
    public Member self() {
        return self;
    }

    @Override
    public boolean isMember() {
        return member;
    }

    @Override
    public List<Member> successors() {
        return successors;
    }

    @Override
    public Optional<Member> predecessor() {
        return Optional.ofNullable(predecessor);
    }

    @Override
    public List<Member> known() {
        return known;
    }

    @Override
    public boolean awaits(long request) {
        return asked.containsKey(request);
    }

    @Override
    public void step(Event event, long nowMillis, Effects out) {
        if (event instanceof Event.MessageReceived arrived) {
            arrived(arrived.from(), arrived.request(), arrived.message(), out);
        } else if (event instanceof Event.RequestTimeout missed) {
            Asked question = asked.remove(missed.request());
            if (question != null && question.attempt < settings.attempts()) {
                ask(question.purpose, question.of, question.attempt + 1, question.message, question.ticket, out);
            } else if (question != null) {
                dead(question, out);
            }
        } else if (event instanceof Event.TimerFired fired) {
            fired(fired.timer(), out);
        } else if (event instanceof Event.CreateRequest) {
            predecessor = self;
            enter(Collections.nCopies(settings.successors(), self), out);
        } else if (event instanceof Event.BootstrapRequest place) {
            place(place.ring(), out);
        } else if (event instanceof Event.JoinRequest join) {
            contacts = join.contacts();
            seek(out);
        } else if (event instanceof Event.LookupRequest lookup) {
            walk(self, new Message.Find(lookup.key(), List.of(), false), Purpose.LOOKUP, lookup.ticket(), out);
        } else if (event instanceof Event.LeaveRequest) {
            out.handOver(new Range(self.id(), self.id()), self);
        } else if (event instanceof Event.HandoverDone) {
            member = false;
            out.changed();
        }
    }

    private void place(List<Member> ring, Effects out) {
        List<Member> sorted = new ArrayList<>(ring);
        sorted.sort(Comparator.comparing(Member::id));
        int at = sorted.indexOf(self);
        List<Member> list = new ArrayList<>();
        for (int i = 1; i <= settings.successors(); i++) {
            list.add(sorted.get((at + i) % sorted.size()));
        }
        predecessor = sorted.get((at + sorted.size() - 1) % sorted.size());
        enter(list, out);
    }

    private void enter(List<Member> list, Effects out) {
        member = true;
        become(list, out);
        out.changed();
        out.wake(Timer.STABILIZE, settings.stabilizeMillis());
    }

    private void become(List<Member> list, Effects out) {
        List<Member> fitting = List.copyOf(list.subList(0, Math.min(list.size(), settings.successors())));
        if (!fitting.equals(successors)) {
            successors = fitting;
            known.addAll(successors);
            out.changed();
        }
    }

    private void seek(Effects out) {
        out.wake(Timer.JOIN, 3L * settings.attempts() * settings.deadlineMillis());
        Message.Find find = new Message.Find(self.id(), List.of(), false);
        ask(Purpose.JOIN, contacts.get((int) (lastRequest % contacts.size())), 1, find, 0, out);
    }

    private void fired(Timer timer, Effects out) {
        if (timer == Timer.JOIN && !member) {
            asked.clear();
            seek(out);
        } else if (timer == Timer.STABILIZE && member) {
            out.wake(Timer.STABILIZE, settings.stabilizeMillis());
            boolean busy = asked.values().stream()
                    .anyMatch(question -> question.purpose == Purpose.STABILIZE || question.purpose == Purpose.CHECK);
            if (busy) {
                return;
            }
            if (!successors.isEmpty() && successors.get(0).is(self)) {
                predecessor = predecessor == null ? self : predecessor;
                stabilized(self, predecessor, successors, out);
            } else if (!successors.isEmpty()) {
                ask(Purpose.STABILIZE, successors.get(0), 1, new Message.Ask(), 0, out);
            }
            if (predecessor != null && !predecessor.is(self)) {
                ask(Purpose.CHECK, predecessor, 1, new Message.Ask(), 0, out);
            }
        }
    }

    private void ask(Purpose purpose, Member of, int attempt, Message message, long ticket, Effects out) {
        long request = ++lastRequest;
        asked.put(request, new Asked(purpose, of, attempt, message, ticket));
        out.ask(of, request, message, settings.deadlineMillis(), attempt == settings.attempts());
    }

    private void arrived(Member from, long request, Message message, Effects out) {
        if (message instanceof Message.Ask) {
            Member before = predecessor == null ? self : predecessor;
            out.tell(
                    from, request, member ? new Message.Neighbours(before, successors, self) : new Message.NotMember());
        } else if (message instanceof Message.Find find) {
            out.tell(from, request, member && !successors.isEmpty() ? route(find) : new Message.NotMember());
        } else if (message instanceof Message.Notify && member) {
            if (predecessor == null || Id.between(predecessor.id(), from.id(), self.id())) {
                predecessor = from;
                known.add(from);
                out.changed();
            }
        } else {
            Asked question = asked.remove(request);
            if (question != null) {
                answered(question, from, message, out);
            }
        }
    }

    private Message route(Message.Find find) {
        return find.owner()
                ? new Message.Ownership(self, false)
                : new Message.Referral(successors.get(0), isBehind(find.key()));
    }

    private boolean isBehind(Id key) {
        return Id.betweenClosed(self.id(), key, successors.get(0).id());
    }

    private void walk(Member to, Message.Find find, Purpose purpose, long ticket, Effects out) {
        if (!to.is(self)) {
            ask(purpose, to, 1, find, ticket, out);
        } else if (successors.isEmpty()) {
            end(find.key(), Optional.empty(), ticket, out);
        } else if (find.owner() || isBehind(find.key()) && successors.get(0).is(self)) {
            end(find.key(), Optional.of(self), ticket, out);
        } else {
            Message.Find next = new Message.Find(find.key(), List.of(), isBehind(find.key()));
            ask(purpose, successors.get(0), 1, next, ticket, out);
        }
    }

    private static void end(Id key, Optional<Member> owner, long ticket, Effects out) {
        out.answer(ticket, new Answer(key, owner, Optional.empty(), false, 0, 0, List.of()));
    }

    private void answered(Asked question, Member from, Message message, Effects out) {
        if (message instanceof Message.NotMember) {
            dead(question, out);
        } else if (question.purpose == Purpose.STABILIZE && message instanceof Message.Neighbours around) {
            stabilized(from, around.predecessor(), around.successors(), out);
        } else if (question.message instanceof Message.Find find) {
            if (message instanceof Message.Referral next) {
                walk(
                        next.member(),
                        new Message.Find(find.key(), List.of(), next.owner()),
                        question.purpose,
                        question.ticket,
                        out);
            } else if (question.purpose == Purpose.LOOKUP) {
                end(find.key(), Optional.of(from), question.ticket, out);
            } else if (!member) {
                predecessor = null;
                enter(List.of(from), out);
            }
        }
    }

    private void stabilized(Member successor, Member x, List<Member> its, Effects out) {
        List<Member> list = new ArrayList<>(its);
        list.add(0, successor);
        if (Id.between(self.id(), x.id(), successor.id())) {
            list.add(0, x);
        }
        become(list, out);
        if (!successors.get(0).is(self)) {
            out.tell(successors.get(0), 0, new Message.Notify());
        }
    }

    private void dead(Asked question, Effects out) {
        switch (question.purpose) {
            case STABILIZE -> {
                if (!successors.isEmpty() && successors.get(0).is(question.of)) {
                    become(successors.subList(1, successors.size()), out);
                }
            }
            case CHECK -> {
                if (predecessor != null && predecessor.is(question.of)) {
                    predecessor = null;
                    out.changed();
                }
            }
            case LOOKUP -> end(self.id(), Optional.empty(), question.ticket, out);
            case JOIN -> {
                // The timer tries again.
            }
        }
    }
}
