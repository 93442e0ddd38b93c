package dev.perhaps.chord;

import static dev.perhaps.chord.Village.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The protocol, step by step, where messages arrive at once. What delays and losses do to it: the simulation. */
class PeerTest {
    private static final Member A = at(10);
    private static final Member B = at(30);
    private static final Member C = at(50);
    private static final Member D = at(70);
    private static final Member E = at(90);

    private final Village village = new Village(Settings.usual().successors(3));

    @Test
    void onePeerIsItsOwnSuccessorAndHasAllKeys() {
        Peer alone = village.begin(A);
        village.settle();
        assertThat(alone.successors()).containsExactly(A, A, A);
        assertThat(alone.predecessor()).contains(A);
        assertThat(alone.range().contains(at(99).id())).isTrue();
        assertThat(alone.range().contains(A.id())).isTrue();
        Answer answer = village.lookup(A, C.id());
        assertThat(answer.owner()).contains(A);
        assertThat(answer.hops()).isZero();
    }

    @Test
    void twoPeersRepeatEachOtherInTheirLists() {
        village.begin(A);
        village.join(B, A);
        village.settle();
        assertThat(village.peer(A).successors()).containsExactly(B, A, B);
        assertThat(village.peer(B).successors()).containsExactly(A, B, A);
        assertThat(village.isIdeal()).isTrue();
        assertThat(village.lookup(A, at(20).id()).owner()).contains(B);
        assertThat(village.lookup(A, at(31).id()).owner()).contains(A);
    }

    @Test
    void theOtherOfTwoIsAloneAfterACrash() {
        village.begin(A);
        village.join(B, A);
        village.settle();
        village.crash(B);
        village.settle();
        assertThat(village.peer(A).successors()).containsExactly(A, A, A);
        assertThat(village.peer(A).predecessor()).contains(A);
    }

    @Test
    void growsFromOneToMoreThanTheListHolds() {
        village.begin(C);
        for (Member member : List.of(A, E, B, D)) {
            village.join(member, C);
            village.settle();
            assertThat(village.isIdeal()).as("after %s", member).isTrue();
        }
        assertThat(village.peer(A).successors()).containsExactly(B, C, D);
    }

    @Test
    void manyJoinAtOnce() {
        village.begin(A);
        List<Member> others = new ArrayList<>();
        for (int i = 1; i < 40; i++) {
            others.add(Member.at("host" + i, 0));
            village.join(others.get(i - 1), A);
        }
        village.round(Timer.STABILIZE, 120);
        assertThat(village.isIdeal()).isTrue();
        village.round(Timer.FINGER, 40);
        for (Member asker : others) {
            for (Member owner : others) {
                Answer answer = village.lookup(asker, owner.id());
                assertThat(answer.owner()).contains(owner);
                assertThat(answer.hops()).as("from %s to %s", asker, owner).isLessThanOrEqualTo(9);
            }
        }
    }

    @Test
    void aJoiningPeerTakesTheListOfItsPredecessor() {
        village.place(A, B, C, D);
        Peer late = village.join(at(40), D);
        assertThat(late.status()).isEqualTo(Peer.Status.MEMBER);
        assertThat(late.successors()).containsExactly(C, D, A);
        assertThat(late.predecessor()).contains(B);
        assertThat(village.peer(C).predecessor()).as("told at once").contains(at(40));
        assertThat(village.handOvers()).containsExactly("peer50 gives (4c000000, 66000000] to peer40");
        assertThat(village.takeOvers()).containsExactly("peer40 has (4c000000, 66000000]");
    }

    @Test
    void aMissedDeadlineIsSuspicionAndThreeInARowAreDeath() {
        village.place(A, B, C, D);
        Peer peer = village.peer(A);
        Outbox out = new Outbox();
        peer.step(new Event.TimerFired(Timer.STABILIZE, 1), 1_000, out);
        for (int missed = 1; missed < 3; missed++) {
            assertThat(out.asked).as("asked again after %d", missed - 1).hasSize(missed);
            assertThat(out.decides).isFalse();
            peer.step(new Event.RequestTimeout(out.lastRequest), 1_500, out);
            assertThat(peer.successors()).containsExactly(B, C, D);
        }
        assertThat(out.decides).isTrue();
        peer.step(new Event.RequestTimeout(out.lastRequest), 2_500, out);
        assertThat(peer.successors().subList(0, 2)).containsExactly(C, D);
        assertThat(peer.successors().get(2).isNobody()).as("the end is filled").isTrue();
        assertThat(out.told).as("and the new successor notified").containsExactly(C);
        assertThat(out.asked).as("and asked").containsExactly(B, B, B, C);
    }

    @Test
    void anAnswerAfterAMissEndsTheSuspicion() {
        village.place(A, B, C, D);
        Peer peer = village.peer(A);
        Outbox out = new Outbox();
        for (int round = 0; round < 5; round++) {
            peer.step(new Event.TimerFired(Timer.STABILIZE, 1), 1_000, out);
            peer.step(new Event.RequestTimeout(out.lastRequest), 1_500, out);
            peer.step(new Event.RequestTimeout(out.lastRequest), 2_000, out);
            assertThat(peer.awaits(out.lastRequest)).isTrue();
            peer.step(Outbox.around(B, out.lastRequest, A, C, D, A), 2_100, out);
            assertThat(peer.awaits(out.lastRequest)).isFalse();
        }
        assertThat(peer.successors()).containsExactly(B, C, D);
    }

    @Test
    void adoptsNoSuccessorThatWasNotAsked() {
        village.place(A, B, C, D);
        Peer peer = village.peer(A);
        Outbox out = new Outbox();
        Member between = at(20);
        peer.step(new Event.TimerFired(Timer.STABILIZE, 1), 1_000, out);
        peer.step(Outbox.around(B, out.lastRequest, between, C, D, A), 1_100, out);
        assertThat(peer.successors()).containsExactly(B, C, D);
        assertThat(out.asked).containsExactly(B, between);
        assertThat(out.told).isEmpty();
        for (int i = 0; i < 3; i++) {
            peer.step(new Event.RequestTimeout(out.lastRequest), 2_000, out);
        }
        assertThat(peer.successors()).as("it is dead").containsExactly(B, C, D);
        assertThat(out.told).as("and this branch ends in a notify too").containsExactly(B);

        peer.step(new Event.TimerFired(Timer.STABILIZE, 1), 3_000, out);
        peer.step(Outbox.around(B, out.lastRequest, between, C, D, A), 3_100, out);
        peer.step(Outbox.around(between, out.lastRequest, A, B, C, D), 3_200, out);
        assertThat(peer.successors()).containsExactly(between, B, C);
        assertThat(out.told).containsExactly(B, between);
    }

    @Test
    void answersThatNobodyWaitsForChangeNothing() {
        village.place(A, B, C, D);
        Peer peer = village.peer(A);
        Outbox out = new Outbox();
        peer.step(new Event.TimerFired(Timer.STABILIZE, 1), 1_000, out);
        long request = out.lastRequest;
        peer.step(Outbox.around(C, request, B, D, A, B), 1_050, out);
        assertThat(peer.successors()).as("not from the one who was asked").containsExactly(B, C, D);
        peer.step(Outbox.around(B, request, A, C, D, A), 1_100, out);
        peer.step(Outbox.around(B, request, A, E, E, E), 1_200, out);
        assertThat(peer.successors()).as("twice").containsExactly(B, C, D);
        peer.step(new Event.RequestTimeout(request), 1_500, out);
        assertThat(out.asked).as("a deadline after the answer").containsExactly(B);
    }

    @Test
    void aFartherPredecessorIsTakenOnlyIfTheNearerIsDead() {
        village.place(A, B, C, D);
        Peer peer = village.peer(C);
        Outbox out = new Outbox();
        peer.step(new Event.MessageReceived(A, 0, new Message.Notify()), 1_000, out);
        assertThat(out.asked).containsExactly(B);
        peer.step(Outbox.around(B, out.lastRequest, A, C, D, A), 1_100, out);
        assertThat(peer.predecessor()).contains(B);
        peer.step(new Event.MessageReceived(A, 0, new Message.Notify()), 2_000, out);
        for (int i = 0; i < 3; i++) {
            peer.step(new Event.RequestTimeout(out.lastRequest), 3_000, out);
        }
        assertThat(peer.predecessor()).contains(A);
        peer.step(new Event.MessageReceived(at(40), 0, new Message.Notify()), 4_000, out);
        assertThat(peer.predecessor()).contains(at(40));
    }

    @Test
    void survivesTheCrashOfAllButOneOfItsList() {
        village.place(A, B, C, D, E);
        village.crash(B, C);
        village.settle();
        assertThat(village.isIdeal()).isTrue();
        assertThat(village.lookup(A, at(31).id()).owner()).contains(D);
    }

    @Test
    void anOwnerThatIsNotResponsibleSendsOneBack() {
        village.place(A, C, D, E);
        village.join(B, E);
        assertThat(village.peer(A).successors())
                .as("does not know of the new one yet")
                .doesNotContain(B);
        Answer answer = village.lookup(A, at(20).id());
        assertThat(answer.owner()).contains(B);
        assertThat(answer.presumed()).isFalse();
        assertThat(village.asked()).containsExactly(C, B);
    }

    @Test
    void aLookupGoesRoundTheDead() {
        village.place(A, B, C, D, E);
        village.crash(B);
        Answer answer = village.lookup(A, at(25).id());
        assertThat(answer.owner()).contains(C);
        assertThat(answer.presumed()).as("C has not yet found out about B").isTrue();
        assertThat(answer.timeouts()).isEqualTo(1);
        assertThat(answer.path()).extracting(Hop::member).containsExactly(A, B, A, C);
        assertThat(answer.path())
                .extracting(Hop::outcome)
                .containsExactly(
                        Hop.Outcome.REFERRAL, Hop.Outcome.TIMEOUT, Hop.Outcome.REFERRAL, Hop.Outcome.PRESUMED_OWNER);
        village.settle();
        answer = village.lookup(A, at(25).id());
        assertThat(answer.path()).extracting(Hop::outcome).containsExactly(Hop.Outcome.REFERRAL, Hop.Outcome.OWNER);
        assertThat(answer.owner()).contains(C);
        assertThat(answer.presumed()).isFalse();
        assertThat(answer.timeouts()).isZero();
    }

    @Test
    void aDeadFingerIsDroppedOnTheWayAndRepaired() {
        List<Member> ring = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            ring.add(at(4 * i + 1));
        }
        village.place(ring.toArray(Member[]::new));
        village.round(Timer.FINGER, 12);
        Peer peer = village.peer(ring.get(0));
        Member half = peer.finger(Id.BITS - 1).orElseThrow();
        assertThat(half).isEqualTo(at(53));
        village.crash(half);
        Answer answer = village.lookup(ring.get(0), at(56).id());
        assertThat(answer.owner()).contains(at(57));
        assertThat(answer.timeouts()).isEqualTo(1);
        assertThat(peer.finger(Id.BITS - 1)).isEmpty();
        village.settle();
        village.round(Timer.FINGER, 12);
        assertThat(peer.finger(Id.BITS - 1)).contains(at(57));
        assertThat(village.lookup(ring.get(0), at(56).id()).timeouts()).isZero();
    }

    @Test
    void whatCannotBeReachedIsNotAnswered() {
        village.place(A, B, C, D, E);
        village.crash(B, C, D, E);
        Answer answer = village.lookup(A, at(75).id());
        assertThat(answer.owner()).isEmpty();
        assertThat(answer.timeouts()).isEqualTo(3);
    }

    @Test
    void leavingHandsOverAndTellsBothNeighbours() {
        village.place(A, B, C, D);
        village.tell(C, new Event.LeaveRequest());
        assertThat(village.handOvers()).containsExactly("peer50 gives (4c000000, 80000000] to peer70");
        assertThat(village.peer(C).isMember())
                .as("serves until the keys are there")
                .isTrue();
        village.tell(C, new Event.HandoverDone());
        assertThat(village.peer(C).status()).isEqualTo(Peer.Status.LEFT);
        assertThat(village.peer(B).successors().get(0)).as("at once").isEqualTo(D);
        assertThat(village.peer(D).predecessor()).contains(B);
        village.settle();
        assertThat(village.isIdeal()).isTrue();
    }

    @Test
    void whoLeavesARingOfOneGivesItsKeysToTheOneThatHasJustJoined() {
        village.begin(A);
        village.join(B, A);
        assertThat(village.peer(A).successors()).as("does not stabilize yet").containsExactly(A, A, A);
        village.handOvers().clear();
        village.tell(A, new Event.LeaveRequest());
        assertThat(village.handOvers()).containsExactly("peer10 gives (4c000000, 19000000] to peer30");
        village.tell(A, new Event.HandoverDone());
        village.settle();
        assertThat(village.peer(B).successors()).containsExactly(B, B, B);
        village.tell(B, new Event.LeaveRequest());
        assertThat(village.handOvers()).as("the last one").contains("peer30 gives (4c000000, 4c000000] to peer30");
        village.tell(B, new Event.HandoverDone());
        assertThat(village.peer(B).status()).isEqualTo(Peer.Status.LEFT);
    }

    @Test
    void anOldSignOffDoesNotRemoveAMember() {
        village.place(A, B, C, D);
        village.tell(A, new Event.MessageReceived(B, 0, new Message.Leaving(A)));
        village.tell(C, new Event.MessageReceived(B, 0, new Message.Leaving(A)));
        village.round(Timer.STABILIZE, 1);
        assertThat(village.isIdeal()).isTrue();
    }

    @Test
    void aRestartedPeerWaitsUntilItsDeadSelfIsForgotten() {
        village.place(A, B, C, D);
        village.crash(C);
        village.restart(C, A);
        assertThat(village.peer(C).status()).isEqualTo(Peer.Status.JOINING);
        village.round(Timer.STABILIZE, 3);
        village.round(Timer.JOIN, 1);
        assertThat(village.peer(C).status()).isEqualTo(Peer.Status.MEMBER);
        village.settle();
        assertThat(village.isIdeal()).isTrue();
    }

    @Test
    void refusesASecondPeerAtTheSamePlace() {
        village.place(A, B, C, D);
        assertThat(village.knock(at(50, "stranger"), A)).contains(C);
        village.settle();
        assertThat(village.isIdeal()).isTrue();
    }

    @Test
    void virtualNodesOfOneHostAreMembersLikeAnyOther() {
        List<Member> nodes = new ArrayList<>();
        for (int host = 0; host < 4; host++) {
            for (int node = 0; node < 5; node++) {
                nodes.add(Member.at("host" + host, node));
            }
        }
        village.begin(nodes.get(0));
        nodes.subList(1, nodes.size()).forEach(node -> village.join(node, nodes.get(0)));
        village.round(Timer.STABILIZE, 60);
        assertThat(village.isIdeal()).isTrue();
    }

    @Test
    void separatedRingsMergeAgain() {
        Member[] ring = {A, B, C, D, E, at(20), at(40), at(60)};
        village.place(ring);
        village.round(Timer.FINGER, 10);
        village.reach((from, to) -> isLeft(from) == isLeft(to));
        village.settle();
        assertThat(village.isIdeal()).as("two rings").isFalse();
        assertThat(village.peer(A).successors()).allMatch(PeerTest::isLeft);
        assertThat(village.peer(D).successors()).noneMatch(PeerTest::isLeft);
        village.reach((from, to) -> true);
        village.settle();
        assertThat(village.isIdeal())
                .as("stabilize alone does not see the other")
                .isFalse();
        for (int i = 0; i < 10; i++) {
            village.round(Timer.HEAL, 1);
            village.round(Timer.STABILIZE, 5);
        }
        assertThat(village.isIdeal()).isTrue();
    }

    private static boolean isLeft(Member member) {
        return member.id().turn() < 0.45;
    }

    @Test
    void oneContactIsEnoughToMergeTwoRings() {
        village.place(A, B, C);
        village.place(D, E);
        // B hears of D, which is nobody's successor on its side; the sign of life must reach its neighbours.
        village.tell(B, new Event.MessageReceived(D, 0, new Message.Notify()));
        village.settle();
        for (int i = 0; i < 10; i++) {
            village.round(Timer.HEAL, 1);
            village.round(Timer.STABILIZE, 5);
        }
        assertThat(village.isIdeal()).isTrue();
    }

    @Test
    void refusesToEnterTwice() {
        village.begin(A);
        assertThatThrownBy(() -> village.tell(A, new Event.CreateRequest()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("must be outside to enter a ring, and is MEMBER");
        assertThatThrownBy(() -> new Event.JoinRequest(List.of())).hasMessage("joining needs at least one contact");
        assertThatThrownBy(() -> Settings.usual().successors(0)).hasMessage("successors must be in 1..64, got 0");
    }

    @Test
    void messagesHaveLimits() {
        assertThatThrownBy(() -> new Message.Neighbours(A, List.of(), A))
                .hasMessage("a successor list has 1..64 members, got 0");
        assertThatThrownBy(() -> new Message.Neighbours(A, Collections.nCopies(65, B), A))
                .hasMessage("a successor list has 1..64 members, got 65");
        assertThatThrownBy(() -> new Message.Find(A.id(), Collections.nCopies(65, B), false))
                .hasMessage("a lookup avoids at most 64 members, got 65");
    }

    @Test
    void aLookupGivesUpWhenTooManyDoNotAnswer() {
        Village large = new Village(Settings.usual().successors(64));
        List<Member> ring = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            ring.add(Member.at("host" + i, 0));
        }
        large.place(ring.toArray(Member[]::new));
        large.round(Timer.FINGER, 12);
        large.crash(ring.subList(1, 200).toArray(Member[]::new));
        Id far = ring.get(0).id().plusPowerOfTwo(Id.BITS - 1).plusPowerOfTwo(Id.BITS - 2);
        Answer answer = large.lookup(ring.get(0), far);
        assertThat(answer.owner()).isEmpty();
        assertThat(answer.timeouts()).isEqualTo(Message.Find.MAX_AVOIDED + 1);
    }
}
