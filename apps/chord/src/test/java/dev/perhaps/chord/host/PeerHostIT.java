package dev.perhaps.chord.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Answer;
import dev.perhaps.chord.Await;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.Peer;
import dev.perhaps.chord.Settings;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.ClusterSecret;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.cluster.Refusal;
import dev.perhaps.chord.wire.Dispatcher;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.SocketFrameStream;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rings of several peers over real sockets, all in this process. */
@Timeout(600) // only ends a test that hangs
class PeerHostIT {
    private static final HostPort ANYWHERE = HostPort.of("127.0.0.1:0");
    private static final Settings QUICK = new Settings(4, 3, 300, 100, 100, 300, 64);

    private final List<PeerHost> hosts = new ArrayList<>();
    private final List<String> log = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void closeAll() {
        hosts.forEach(PeerHost::close);
    }

    private PeerHost listening(Cluster cluster, HostPort at) throws IOException {
        PeerHost host = new PeerHost(cluster, QUICK, log::add);
        hosts.add(host);
        host.listen(at, null);
        return host;
    }

    private PeerHost begun() throws Exception {
        PeerHost host = listening(Cluster.open(), ANYWHERE);
        host.begin(1, 1L << 32).get(120, TimeUnit.SECONDS);
        return host;
    }

    private PeerHost joined(PeerHost contact, int nodes) throws Exception {
        PeerHost host = listening(Cluster.open(), ANYWHERE);
        host.join(nodes, 1L << 32, List.of(contact.address())).get(120, TimeUnit.SECONDS);
        return host;
    }

    @Test
    void peersFindEachOtherAndAgreeWhoIsResponsible() throws Exception {
        PeerHost first = begun();
        List<PeerHost> ring = List.of(first, joined(first, 1), joined(first, 4), joined(first, 1), joined(first, 2));
        settle(ring);
        TreeSet<Id> places = new TreeSet<>();
        for (PeerHost host : ring) {
            host.views().get().forEach(node -> places.add(node.self().id()));
        }
        assertThat(places).hasSize(9);
        for (int i = 0; i < 40; i++) {
            Id key = Id.hashOf("key" + i);
            Id owner = Optional.ofNullable(places.ceiling(key)).orElse(places.first());
            for (PeerHost host : ring) {
                Answer answer = host.lookup(key).get(120, TimeUnit.SECONDS);
                assertThat(answer.owner().orElseThrow().id()).isEqualTo(owner);
            }
            try (OwnerLookup lookup = OwnerLookup.open(HostPort.of(first.address()), Cluster.open(), 5_000)) {
                OwnerLookup.Found found = lookup.owner(key);
                assertThat(found.owner().id()).isEqualTo(owner);
                assertThat(found.hops()).isBetween(0, 9);
                assertThat(found.timeouts()).isZero();
            }
        }
        assertThat(log).isEmpty();
    }

    @Test
    void theRingClosesOverACrashAndTakesThePeerBack() throws Exception {
        PeerHost first = begun();
        PeerHost second = joined(first, 1);
        PeerHost third = joined(first, 1);
        settle(List.of(first, second, third));
        HostPort place = HostPort.of(second.address());
        second.close();
        settle(List.of(first, third));
        PeerHost again = listening(Cluster.open(), place);
        again.join(1, 2L << 32, List.of(first.address())).get(120, TimeUnit.SECONDS);
        settle(List.of(first, again, third));
    }

    @Test
    void whoLeavesIsGoneAtOnce() throws Exception {
        PeerHost first = begun();
        PeerHost second = joined(first, 3);
        PeerHost third = joined(first, 1);
        settle(List.of(first, second, third));
        CompletableFuture<Void> handedOver = new CompletableFuture<>();
        CompletableFuture<Void> left = second.leave(handedOver);
        Await.until(
                "it is leaving",
                () -> second.views().get().stream().allMatch(node -> node.status() == Peer.Status.LEAVING));
        assertThat(ids(first)).as("still there while it hands over").contains(Member.at(second.address(), 0));
        handedOver.complete(null);
        left.get(120, TimeUnit.SECONDS);
        second.close();
        settle(List.of(first, third));
    }

    @Test
    void twoRingsOfRememberedMembersBecomeOne() throws Exception {
        PeerHost first = begun();
        PeerHost second = begun();
        assertThat(ids(first)).containsOnly(Member.at(first.address(), 0));
        second.recall(List.of(Member.at(first.address(), 0)));
        settle(List.of(first, second));
        assertThat(first.known().get()).contains(Member.at(second.address(), 0));
    }

    @Test
    void aPeerOfAnotherClusterOrSecretIsRefusedAndBothSidesSayWhy() throws Exception {
        PeerHost first = begun();
        Cluster other = new Cluster("other", Optional.empty());
        PeerHost stranger = listening(other, ANYWHERE);
        CompletableFuture<Void> entered = stranger.join(1, 1L << 32, List.of(first.address()));
        String reason = "refused: the peer is of cluster 'perhaps', the other of 'other'";
        Await.until(
                "both sides say why",
                () -> log.stream()
                                .filter(line -> line.endsWith(reason))
                                .distinct()
                                .count()
                        == 2);
        assertThat(log).contains(stranger.address() + ": " + reason, first.address() + ": " + reason);
        assertThat(ids(first)).containsOnly(Member.at(first.address(), 0));
        assertThat(entered).isNotDone();
        assertThatThrownBy(() -> SocketFrameStream.open(HostPort.of(first.address()), other, 2_000))
                .isInstanceOf(Refusal.class)
                .hasMessage(first.address() + ": " + reason);
        Cluster secured = new Cluster("perhaps", Optional.of(ClusterSecret.of(new byte[32])));
        assertThatThrownBy(() -> SocketFrameStream.open(HostPort.of(first.address()), secured, 2_000))
                .isInstanceOf(Refusal.class)
                .hasMessageEndingWith("the peer has no cluster secret, the other has one");
    }

    @Test
    void garbageOnThePortClosesTheConnectionWithOneLine() throws Exception {
        PeerHost first = begun();
        HostPort at = HostPort.of(first.address());
        for (String garbage : List.of("GET / HTTP/1.1\r\n\r\n", "\0\0\0\5\1....", "\0\0\0\0")) {
            log.clear();
            try (Socket socket = new Socket(at.host(), at.port())) {
                socket.setSoTimeout(10_000);
                socket.getOutputStream().write(garbage.getBytes(StandardCharsets.ISO_8859_1));
                assertThat(socket.getInputStream().read())
                        .as("closed, not answered")
                        .isEqualTo(-1);
            }
            Await.until(
                    "one line, and the connection is gone",
                    () -> !log.isEmpty() && first.figures().get().strangers() == 0);
            assertThat(log).hasSize(1);
            assertThat(log.get(0)).contains("closed: invalid data");
        }
        assertThat(first.lookup(Id.hashOf("key")).get(120, TimeUnit.SECONDS).owner())
                .isPresent();
    }

    @Test
    void aQuestionThatNobodyKnowsEndsTheLine() throws Exception {
        PeerHost first = begun();
        try (SocketFrameStream stream = SocketFrameStream.open(HostPort.of(first.address()), Cluster.open(), 5_000)) {
            stream.send(new WireFrame(200, new byte[0]));
            assertThatThrownBy(stream::receive).hasMessageEndingWith("it closed the connection");
        }
        Await.until("one line", () -> !log.isEmpty());
        assertThat(log).containsExactly("a caller: unknown request type 200");
    }

    @Test
    void theRingCanBeAskedForThroughAnyPeer() throws Exception {
        PeerHost first = begun();
        PeerHost second = joined(first, 2);
        PeerHost third = joined(first, 1);
        settle(List.of(first, second, third));
        third.close();
        try (SocketFrameStream stream = SocketFrameStream.open(HostPort.of(second.address()), Cluster.open(), 10_000)) {
            stream.send(new FrameWriteBuffer().frame(Dispatcher.RING));
            List<String> reached = new ArrayList<>();
            List<String> unreached = new ArrayList<>();
            WireFrame frame = stream.receive();
            while (frame.type() != Dispatcher.END) {
                if (frame.type() == Dispatcher.STATUS) {
                    reached.add(HostStatus.read(frame).address());
                } else {
                    unreached.add(frame.read().address());
                }
                frame = stream.receive();
            }
            assertThat(reached).containsExactlyInAnyOrder(first.address(), second.address());
            assertThat(unreached).containsExactly(third.address());
        }
    }

    @Test
    void refusesToListenForEverybodyWithoutASecret() {
        assertThatThrownBy(() -> listening(Cluster.open(), HostPort.of("0.0.0.0:0")))
                .hasMessage("listening on 0.0.0.0:0 is open to other machines: that needs TLS or a cluster secret");
        Cluster secured = new Cluster("perhaps", Optional.of(ClusterSecret.of(new byte[32])));
        assertThatThrownBy(() -> listening(secured, HostPort.of("0.0.0.0:0")))
                .hasMessageContaining("advertise an address that they can connect to");
    }

    @Test
    void aPortThatIsTakenIsRefused() throws Exception {
        PeerHost first = begun();
        assertThatThrownBy(() -> listening(Cluster.open(), HostPort.of(first.address())))
                .hasMessageStartingWith(first.address() + ": cannot listen there: ");
    }

    private static List<Member> ids(PeerHost host) throws Exception {
        List<Member> all = new ArrayList<>();
        for (NodeView node : host.views().get()) {
            all.addAll(node.successors());
        }
        return all;
    }

    /** Waits until every node knows exactly its neighbours. */
    private static void settle(List<PeerHost> ring) throws Exception {
        Await.until("settled", () -> {
            List<NodeView> nodes = new ArrayList<>();
            for (PeerHost host : ring) {
                nodes.addAll(host.views().get());
            }
            nodes.sort((a, b) -> a.self().id().compareTo(b.self().id()));
            int n = nodes.size();
            for (int i = 0; i < n; i++) {
                NodeView node = nodes.get(i);
                boolean right =
                        node.predecessor().equals(nodes.get((i + n - 1) % n).self());
                for (int j = 0; right && j < QUICK.successors(); j++) {
                    right = node.successors()
                            .get(j)
                            .equals(nodes.get((i + 1 + j) % n).self());
                }
                if (!right) {
                    return false;
                }
            }
            return true;
        });
    }
}
