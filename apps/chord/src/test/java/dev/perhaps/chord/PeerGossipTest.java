package dev.perhaps.chord;

import static dev.perhaps.chord.Village.at;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What a peer does about what others say: hints of another ring, sign-offs, acquaintances, members that somebody else could
 * not reach. A ring becomes right without all this, only later, so a simulation that looks at the end misses most of it.
 */
class PeerGossipTest {
    private static final Member A = at(10);
    private static final Member B = at(30);
    private static final Member C = at(50);
    private static final Member D = at(70);
    private static final Member BETWEEN = at(20);
    private static final Member BEYOND = at(60);

    private final Village village = new Village(Settings.usual().successors(3));
    private final Outbox out = new Outbox();

    /** Of the ring A, B, C, D, which has heard of a member of another ring and asked it for its own place there. */
    private Peer healing(Member remembered) {
        village.place(A, B, C, D);
        Peer peer = village.peer(A);
        peer.step(new Event.RememberedMembers(List.of(remembered)), 0, out);
        peer.step(new Event.TimerFired(Timer.HEAL, 3), 1_000, out);
        assertThat(out.asked).containsExactly(remembered);
        assertThat(out.lastQuestion()).isEqualTo(new Message.Find(A.id(), List.of(), false));
        return peer;
    }

    private void answerMine(Peer peer, Member from) {
        peer.step(new Event.MessageReceived(from, out.lastRequest, new Message.Ownership(from, false)), 1_100, out);
    }

    @Test
    void aHintIsAskedBeforeItIsBelieved() {
        Peer peer = healing(BETWEEN);
        answerMine(peer, BETWEEN);
        assertThat(peer.successors()).as("on hearsay").containsExactly(B, C, D);
        assertThat(out.asked).containsExactly(BETWEEN, BETWEEN);
        assertThat(out.lastQuestion()).isEqualTo(new Message.Ask());
        peer.step(Outbox.around(BETWEEN, out.lastRequest, BETWEEN, BETWEEN, BETWEEN, BETWEEN), 1_200, out);
        assertThat(peer.successors()).containsExactly(BETWEEN, BETWEEN, BETWEEN);
        assertThat(out.told).as("and is told").containsExactly(BETWEEN);
    }

    @Test
    void aHintThatDoesNotAnswerChangesNothing() {
        Peer peer = healing(BETWEEN);
        answerMine(peer, BETWEEN);
        for (int i = 0; i < 3; i++) {
            peer.step(new Event.RequestTimeout(out.lastRequest), 2_000, out);
        }
        assertThat(peer.successors()).containsExactly(B, C, D);
    }

    @Test
    void aHintBehindTheSuccessorIsNotified() {
        Peer peer = healing(BEYOND);
        answerMine(peer, BEYOND);
        assertThat(peer.successors()).containsExactly(B, C, D);
        assertThat(out.told).as("perhaps we are its predecessor").containsExactly(BEYOND);
        assertThat(out.lastNotice()).isEqualTo(new Message.Notify());
    }

    @Test
    void whoIsOnTheSameRingIsNoHint() {
        Peer peer = healing(BETWEEN);
        peer.step(new Event.MessageReceived(BETWEEN, out.lastRequest, new Message.Referral(A, true)), 1_100, out);
        assertThat(out.asked).containsExactly(BETWEEN);
        assertThat(out.told).isEmpty();
    }

    @Test
    void eachAnswerTellsOfAnotherAcquaintance() {
        village.place(A, B, C, D);
        Peer peer = village.peer(A);
        List<Member> heard = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            peer.step(new Event.MessageReceived(D, i + 1, new Message.Ask()), 1_000, out);
            heard.add(((Message.Neighbours) out.lastNotice()).acquaintance());
        }
        assertThat(heard).containsExactlyInAnyOrder(B, C, D);
    }

    @Test
    void anAcquaintanceOfWhoWasAskedIsRemembered() {
        village.place(A, B, C, D);
        Peer peer = village.peer(A);
        Event told = new Event.MessageReceived(B, 99, new Message.Neighbours(A, List.of(C, D, A), BEYOND));
        peer.step(told, 1_000, out);
        assertThat(peer.known()).as("nobody asked").doesNotContain(BEYOND);
        peer.step(new Event.TimerFired(Timer.STABILIZE, 1), 1_000, out);
        peer.step(
                new Event.MessageReceived(B, out.lastRequest, new Message.Neighbours(A, List.of(C, D, A), BEYOND)),
                1_100,
                out);
        assertThat(peer.known()).contains(BEYOND);
    }

    @Test
    void aSuccessorThatSignsOffIsAskedAtOnce() {
        village.place(A, B, C, D);
        Peer peer = village.peer(A);
        peer.step(new Event.MessageReceived(B, 0, new Message.Leaving(A)), 1_000, out);
        assertThat(peer.successors()).as("the message may be old").containsExactly(B, C, D);
        assertThat(out.asked).as("not when the timer runs down").containsExactly(B);
        peer.step(new Event.MessageReceived(B, out.lastRequest, new Message.NotMember()), 1_100, out);
        assertThat(peer.successors().subList(0, 2)).containsExactly(C, D);
    }

    @Test
    void aPredecessorThatSignsOffNamesTheNext() {
        village.place(A, B, C, D);
        Peer peer = village.peer(C);
        peer.step(new Event.MessageReceived(B, 0, new Message.Leaving(A)), 1_000, out);
        assertThat(peer.predecessor()).contains(A);
    }

    /** A ring of 24, with the fingers set; the first one's farthest finger is half a circle away. */
    private Peer withFingers() {
        Member[] ring = new Member[24];
        for (int i = 0; i < ring.length; i++) {
            ring[i] = at(4 * i + 1);
        }
        village.place(ring);
        village.round(Timer.FINGER, 14); // not a whole number of rounds: another than the farthest is next
        Peer peer = village.peer(ring[0]);
        assertThat(peer.finger(Id.BITS - 1)).contains(HALF);
        return peer;
    }

    private static final Member HALF = at(53);

    /** Which finger is looked up when the timer runs down, by the key that is asked for. */
    private Id nextFinger(Peer peer) {
        peer.step(new Event.TimerFired(Timer.FINGER, 1), 100_000, out);
        return ((Message.Find) out.lastQuestion()).key();
    }

    @Test
    void aFingerThatSignsOffIsDroppedAndLookedUpNext() {
        Peer peer = withFingers();
        peer.step(new Event.MessageReceived(HALF, 0, new Message.Leaving(at(49))), 90_000, out);
        assertThat(peer.finger(Id.BITS - 1)).isEmpty();
        assertThat(nextFinger(peer)).isEqualTo(peer.self().id().plusPowerOfTwo(Id.BITS - 1));
    }

    @Test
    void aFingerThatSomebodyElseCouldNotReachIsLookedUpNext() {
        Peer peer = withFingers();
        peer.step(
                new Event.MessageReceived(at(5), 1, new Message.Find(at(60).id(), List.of(HALF), false)), 90_000, out);
        assertThat(peer.finger(Id.BITS - 1)).as("it may be the other's fault").contains(HALF);
        assertThat(out.lastNotice()).as("and is not named to who asks").isNotEqualTo(new Message.Referral(HALF, false));
        assertThat(nextFinger(peer)).isEqualTo(peer.self().id().plusPowerOfTwo(Id.BITS - 1));
    }

    @Test
    void aNeighbourThatDiedIsNoFingerAnyMore() {
        Peer peer = withFingers();
        Member near = peer.successors().get(0);
        peer.fingers().set(Id.BITS - 1, near);
        peer.step(new Event.TimerFired(Timer.STABILIZE, 1), 90_000, out);
        for (int i = 0; i < 3; i++) {
            peer.step(new Event.RequestTimeout(out.lastRequest), 91_000, out);
        }
        assertThat(peer.successors()).doesNotContain(near);
        assertThat(peer.finger(Id.BITS - 1)).isEmpty();
    }

    @Test
    void lookupsGoRoundASuspectUntilItIsHeardOfAgainOrForAWhile() {
        village.place(A, B, C, D);
        Peer peer = village.peer(A);
        Id key = at(65).id();
        peer.step(new Event.LookupRequest(1, key), 1_000, out);
        assertThat(out.asked).containsExactly(C);
        peer.step(new Event.RequestTimeout(out.lastRequest), 1_500, out);
        assertThat(firstAsked(peer, key, 2_000)).as("suspected").isEqualTo(B);
        assertThat(firstAsked(peer, key, 1_500 + 10 * 500)).as("long ago").isEqualTo(C);

        peer.step(new Event.RequestTimeout(out.lastRequest), 8_000, out);
        assertThat(firstAsked(peer, key, 8_100)).isEqualTo(B);
        peer.step(new Event.MessageReceived(C, 7, new Message.Ask()), 8_200, out);
        assertThat(firstAsked(peer, key, 8_300)).as("it lives").isEqualTo(C);
    }

    private Member firstAsked(Peer peer, Id key, long nowMillis) {
        int before = out.asked.size();
        peer.step(new Event.LookupRequest(nowMillis, key), nowMillis, out);
        return out.asked.get(before);
    }
}
