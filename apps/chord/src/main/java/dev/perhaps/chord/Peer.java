package dev.perhaps.chord;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A peer of a Chord ring as a pure state machine: it takes events and the time, and returns effects. There is no socket,
 * clock, thread or random generator inside, so that the network and the simulation drive the same code, and the same
 * events give the same effects. Confined to one thread at a time.
 *
 * <p>A host with several virtual nodes runs several peers, each with its own id. They share only the address.
 */
public final class Peer implements ProtocolMachine {
    /*
     *   events ──→ Peer ──┬── Neighbours   predecessor and successor list: what is right depends on them alone
     *                     ├── Joining      the way in
     *                     ├── Lookups      who is responsible for a key
     *                     ├── Fingers      short cuts for lookups
     *                     └── Remembered   members once known, through which separated rings merge
     *
     * Suspicion. A missed deadline alone changes no neighbour. A neighbour is dead for the protocol after `attempts`
     * deadlines missed in a row, or when it says itself that it is not a member. Lookups are quicker: they go round a member
     * at the first miss, and so do others for a while. It costs at most a longer way.
     *
     * Small rings. One peer is its own successor, r times, and its own predecessor; all keys are its. With n <= r
     * members the list wraps around and repeats: [B, A, B] at A, of A and B. All operations are the same. For the
     * invariant, a peer in its own list counts as a live entry, and one principal is enough for one ring in order
     * (Neighbours); but only with r + 1 principals may any r neighbours fail at once. The first peer should stay until
     * r others have joined.
     *
     * Nobody left. A peer whose whole list died is a ring of one, until it finds another through a remembered member.
     *
     * Healing. Now and then a peer asks a remembered member that is not its neighbour where its own place is on that one's
     * ring. On the same ring the answer is the peer itself. On another it is the member right behind it there: if that
     * stands before the successor it is a hint for stabilize, asked before it is believed; otherwise it is notified, so that
     * its predecessor hears of us. From one such contact the two rings grow together like a zip, neighbour by neighbour,
     * by stabilize and rectify alone. It is the strong stabilization of [2].
     *
     * Requests are numbered from a number that the caller gives, higher than any an earlier life of this peer has used:
     * so a late answer to the dead one is not taken for an answer to the living.
     *
     * [1] Stoica et al., "Chord: a scalable peer-to-peer lookup protocol for Internet applications" (2003).
     * [2] Liben-Nowell, Balakrishnan and Karger, "Analysis of the evolution of peer-to-peer systems" (2002).
     */
    static final long NO_REQUEST = 0;

    /** How long lookups go round a member that missed a deadline, in deadlines. */
    private static final int SUSPECTED_DEADLINES = 10;

    /** Where a peer is in its life. */
    public enum Status {
        /** On no ring yet. */
        OUTSIDE,
        /** It has requested to join. */
        JOINING,
        /** On the ring. */
        MEMBER,
        /** Still on the ring, while it hands over what it has. */
        LEAVING,
        /** No longer on the ring. */
        LEFT
    }

    private final Settings settings;
    private final Member self;
    private final RingNeighbours neighbours;
    private final JoinAttempt joining;
    private final Lookups lookups;
    private final Fingers fingers;
    private final Acquaintances remembered;
    private final Suspects suspects = new Suspects();
    private Status status = Status.OUTSIDE;
    private long lastRequest;
    private long nowMillis;
    private @Nullable Effects effects;

    /** @param firstRequest from where its requests are numbered, at least 1 and higher than in any earlier life */
    public Peer(Member self, Settings settings, long firstRequest) {
        if (firstRequest < 1) {
            throw new IllegalArgumentException("firstRequest must be at least 1, got " + firstRequest);
        }
        this.self = self;
        this.settings = settings;
        this.lastRequest = firstRequest - 1;
        this.remembered = new Acquaintances(settings.remembered());
        this.fingers = new Fingers(this);
        this.lookups = new Lookups(this);
        this.joining = new JoinAttempt(this);
        this.neighbours = new RingNeighbours(this);
    }

    @Override
    public Member self() {
        return self;
    }

    /** Returns where it is between joining and leaving. */
    public Status status() {
        return status;
    }

    @Override
    public boolean isMember() {
        return status == Status.MEMBER || status == Status.LEAVING;
    }

    @Override
    public List<Member> successors() {
        return neighbours.successors();
    }

    @Override
    public Optional<Member> predecessor() {
        return Optional.of(neighbours.predecessor());
    }

    /** The first member at a distance of at least 2^k, as far as it is known and is not the successor. */
    public Optional<Member> finger(int k) {
        return Optional.ofNullable(fingers.get(k));
    }

    /** The keys it is responsible for. */
    public Range range() {
        return new Range(neighbours.predecessor().id(), self.id());
    }

    /** The members it remembers: worth keeping over a restart. */
    @Override
    public List<Member> known() {
        return remembered.all();
    }

    @Override
    public boolean awaits(long request) {
        return neighbours.awaits(request) || lookups.awaits(request) || joining.awaits(request);
    }

    @Override
    public void step(Event event, long nowMillis, Effects effects) {
        this.nowMillis = nowMillis;
        this.effects = effects;
        if (event instanceof Event.MessageReceived arrived) {
            arrived(arrived.from(), arrived.request(), arrived.message());
        } else if (event instanceof Event.RequestTimeout missed) {
            neighbours.missed(missed.request());
            joining.missed(missed.request());
            lookups.missed(missed.request());
        } else if (event instanceof Event.TimerFired fired) {
            fired(fired.timer(), fired.noise());
        } else {
            asked(event);
        }
        this.effects = null;
    }

    private void asked(Event event) {
        if (event instanceof Event.LookupRequest lookup) {
            if (isMember()) {
                lookups.start(Lookup.Purpose.ASKED, lookup.ticket(), lookup.key());
            } else {
                effects().answer(lookup.ticket(), Answer.none(lookup.key()));
            }
        } else if (event instanceof Event.JoinRequest join) {
            requireOutside();
            turn(Status.JOINING);
            joining.begin(join.contacts());
        } else if (event instanceof Event.CreateRequest) {
            requireOutside();
            enter();
        } else if (event instanceof Event.BootstrapRequest place) {
            requireOutside();
            neighbours.place(place.ring());
            enter();
        } else if (event instanceof Event.RememberedMembers recalled) {
            recalled.members().forEach(this::remember);
        } else if (event instanceof Event.LeaveRequest) {
            leave();
        } else if (event instanceof Event.HandoverDone && status == Status.LEAVING) {
            depart();
        }
    }

    private void requireOutside() {
        if (status != Status.OUTSIDE) {
            throw new IllegalStateException(self + " must be outside to enter a ring, and is " + status);
        }
    }

    private void arrived(Member from, long request, Message message) {
        suspects.clear(from);
        if (message instanceof Message.Ask) {
            effects()
                    .tell(
                            from,
                            request,
                            isMember()
                                    ? new Message.Neighbours(
                                            neighbours.predecessor(), neighbours.successors(), remembered.next(self))
                                    : new Message.NotMember());
        } else if (message instanceof Message.Find find) {
            find.avoid().forEach(fingers::doubt);
            effects()
                    .tell(
                            from,
                            request,
                            isMember() ? route(find.key(), find.avoid(), find.owner()) : new Message.NotMember());
        } else if (message instanceof Message.Notify) {
            if (isMember()) {
                neighbours.notified(from);
            }
        } else if (message instanceof Message.Leaving leaving) {
            fingers.drop(from);
            if (isMember()) {
                neighbours.left(from, leaving.predecessor());
            }
        } else {
            if (message instanceof Message.Neighbours around && awaits(request)) {
                hear(around.acquaintance());
            }
            neighbours.answered(from, request, message);
            joining.answered(from, request, message);
            lookups.answered(from, request, message);
        }
    }

    private void fired(Timer timer, long noise) {
        if (timer == Timer.JOIN) {
            if (status == Status.JOINING) {
                joining.tryNext();
            }
            return;
        }
        if (!isMember()) {
            return;
        }
        switch (timer) {
            case STABILIZE -> {
                effects().wake(timer, Settings.around(settings.stabilizeMillis(), noise));
                neighbours.stabilize();
            }
            case FINGER -> {
                effects().wake(timer, Settings.around(settings.fingerMillis(), noise));
                if (!lookups.isUnderWay(Lookup.Purpose.FINGER)
                        && !neighbours.first().is(self)) {
                    int k = fingers.nextToRepair();
                    lookups.start(Lookup.Purpose.FINGER, k, self.id().plusPowerOfTwo(k));
                }
            }
            case HEAL -> {
                boolean alone = neighbours.first().is(self);
                int every = alone ? Math.min(settings.healMillis(), settings.stabilizeMillis()) : settings.healMillis();
                effects().wake(timer, Settings.around(every, noise));
                Member contact = remembered.pick(noise, this::isNear);
                if (contact != null && !lookups.isUnderWay(Lookup.Purpose.HEAL)) {
                    lookups.startAt(contact, Lookup.Purpose.HEAL);
                }
            }
            case JOIN -> throw new AssertionError("handled above");
        }
    }

    private boolean isNear(Member member) {
        return member.is(self)
                || member.is(neighbours.predecessor())
                || neighbours.successors().contains(member);
    }

    /** Returns the response to a lookup of a key that avoids some members. */
    Message route(Id key, List<Member> avoid, boolean owner) {
        Avoidance avoided = member -> contains(avoid, member);
        if (neighbours.owns(key)) {
            return new Message.Ownership(neighbours.predecessor(), false);
        }
        if (owner) {
            return avoided.contains(neighbours.predecessor())
                    ? new Message.Ownership(neighbours.predecessor(), true)
                    : new Message.Referral(neighbours.predecessor(), true);
        }
        Member successor = null;
        Member before = null;
        for (Member member : neighbours.successors()) {
            if (!member.isNobody() && !avoided.contains(member)) {
                successor = successor == null ? member : successor;
                boolean trusted = Id.between(self.id(), member.id(), key) && !suspects.contains(member, nowMillis);
                before = trusted && (before == null || Id.between(before.id(), member.id(), key)) ? member : before;
            }
        }
        if (successor == null) {
            return new Message.NotMember();
        }
        if (Id.betweenClosed(self.id(), key, successor.id())) {
            return new Message.Referral(successor, true);
        }
        Member finger = fingers.before(key, member -> avoided.contains(member) || suspects.contains(member, nowMillis));
        if (finger != null && (before == null || Id.between(before.id(), finger.id(), key))) {
            return new Message.Referral(finger, false);
        }
        return new Message.Referral(before == null ? successor : before, false);
    }

    private static boolean contains(List<Member> members, Member member) {
        for (int i = 0; i < members.size(); i++) {
            if (members.get(i).is(member)) {
                return true;
            }
        }
        return false;
    }

    private void turn(Status next) {
        status = next;
        effects().changed();
    }

    private void enter() {
        turn(Status.MEMBER);
        effects().wake(Timer.STABILIZE, settings.stabilizeMillis());
        effects().wake(Timer.FINGER, settings.fingerMillis());
        effects().wake(Timer.HEAL, settings.healMillis());
    }

    void placeFound(Optional<Member> owner, Optional<Member> predecessor) {
        joining.found(owner, predecessor);
    }

    void joined(Member before, List<Member> successors) {
        neighbours.join(before, successors);
        enter();
        effects().takeOver(range());
        neighbours.stabilize();
    }

    void refuse(Member other) {
        turn(Status.LEFT);
        effects().refused(other);
    }

    private void leave() {
        if (status == Status.MEMBER) {
            turn(Status.LEAVING);
            // Who has just joined a ring of one is its predecessor before it is its successor.
            Member heir = neighbours.first().is(self) ? neighbours.predecessor() : neighbours.first();
            effects().handOver(range(), heir);
        } else if (status == Status.OUTSIDE || status == Status.JOINING) {
            turn(Status.LEFT);
        }
    }

    private void depart() {
        Message leaving = new Message.Leaving(neighbours.predecessor());
        for (Member neighbour : List.of(neighbours.predecessor(), neighbours.first())) {
            if (!neighbour.is(self)) {
                effects().tell(neighbour, NO_REQUEST, leaving);
            }
        }
        turn(Status.LEFT);
    }

    Settings settings() {
        return settings;
    }

    Effects effects() {
        if (effects == null) {
            throw new IllegalStateException("effects are only reported during a step");
        }
        return effects;
    }

    RingNeighbours neighbours() {
        return neighbours;
    }

    Fingers fingers() {
        return fingers;
    }

    Lookups lookups() {
        return lookups;
    }

    long nextRequest() {
        return ++lastRequest;
    }

    void remember(Member member) {
        if (!member.isNobody() && !member.is(self)) {
            remembered.add(member);
        }
    }

    /** Remembers a member that another one named, if there is room: it replaces no member that is known directly. */
    private void hear(Member member) {
        if (!remembered.isFull()) {
            remember(member);
        }
    }

    void suspect(Member member) {
        suspects.add(member, nowMillis + (long) SUSPECTED_DEADLINES * settings.deadlineMillis());
        fingers.drop(member);
    }

    @Override
    public String toString() {
        return self + " " + status;
    }
}
