package dev.perhaps.chord.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.ClusterSecret;
import dev.perhaps.chord.cluster.Refusal;
import dev.perhaps.chord.cluster.RevokedHolders;
import dev.perhaps.web.PrivateFiles;
import dev.perhaps.web.Role;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The handshake without sockets: who gets in, and what the others hear. */
class HandshakeTest {
    private static final Cluster OURS = cluster("ours", "correct horse battery");

    private static Cluster cluster(String name, String secret) {
        return new Cluster(name, Optional.of(ClusterSecret.of(secret.getBytes(StandardCharsets.UTF_8))));
    }

    private static Handshake opener(Cluster cluster) {
        return Handshake.opener(cluster, Session.Use.MESSAGES, "a:1", "b:2", 20_000);
    }

    private static Handshake command(Cluster cluster) {
        return Handshake.opener(cluster, Session.Use.COMMANDS, "", "", 20_000);
    }

    private static Cluster granted(Role role, String holder) {
        ClusterSecret own = OURS.secret().orElseThrow();
        return new Cluster(OURS.name(), Optional.of(own.grant(role, holder)));
    }

    @Test
    void bothSidesLearnWhoTheOtherIs() throws Exception {
        Handshake opener = opener(OURS);
        Handshake acceptor = Handshake.acceptor(OURS, "b:2");
        shake(opener, acceptor);
        assertThat(opener.isDone()).isTrue();
        assertThat(acceptor.isDone()).isTrue();
        assertThat(opener.otherAddress()).isEqualTo("b:2");
        assertThat(acceptor.otherAddress()).isEqualTo("a:1");
        assertThat(acceptor.session())
                .isEqualTo(new Session(
                        Set.of(Role.PEER, Role.OPERATOR, Role.CLIENT), "", Session.Use.MESSAGES, "a:1", 20_000));
    }

    @Test
    void worksWithoutASecretToo() throws Exception {
        Handshake opener = command(Cluster.open());
        Handshake acceptor = Handshake.acceptor(Cluster.open(), "b:2");
        shake(opener, acceptor);
        assertThat(acceptor.isDone()).isTrue();
        assertThat(acceptor.session().use()).isEqualTo(Session.Use.COMMANDS);
        assertThat(acceptor.sending()).isNull();
    }

    @Test
    void refusesAnotherSecretClusterOrNone() {
        refuses(cluster("ours", "another horse battery"), "the cluster secret is not the same on both sides");
        refuses(cluster("theirs", "correct horse battery"), "the peer is of cluster 'ours', the other of 'theirs'");
        refuses(new Cluster("ours", Optional.empty()), "the peer has a cluster secret, the other has none");
    }

    private static void refuses(Cluster stranger, String reason) {
        Handshake opener = opener(stranger);
        Handshake acceptor = Handshake.acceptor(OURS, "b:2");
        assertThatThrownBy(() -> shake(opener, acceptor))
                .isInstanceOf(Refusal.class)
                .hasMessage(reason);
        assertThat(acceptor.isDone()).isFalse();
        assertThat(opener.isDone()).isFalse();
    }

    @Test
    void theOpenerRefusesAnAcceptorThatDoesNotKnowTheSecret() throws Exception {
        Handshake opener = opener(OURS);
        opener.hello();
        opener.take(new FrameWriteBuffer().text("b:2").raw(new byte[32]).frame(WireFrame.CHALLENGE));
        WireFrame welcome = new FrameWriteBuffer().raw(new byte[32]).frame(WireFrame.WELCOME);
        assertThatThrownBy(() -> opener.take(welcome)).isInstanceOf(Refusal.class);
        assertThat(opener.isDone()).isFalse();
    }

    @Test
    void aProofCannotBeSentBack() throws Exception {
        Handshake opener = opener(OURS);
        WireFrame proof = opener.take(
                        new FrameWriteBuffer().text("b:2").raw(new byte[32]).frame(WireFrame.CHALLENGE))
                .orElseThrow();
        WireFrame welcome = new WireFrame(WireFrame.WELCOME, proof.body());
        assertThatThrownBy(() -> opener.take(welcome)).isInstanceOf(Refusal.class);
    }

    @Test
    void anOldProofIsWorthNothing() throws Exception {
        Handshake first = opener(OURS);
        Handshake then = Handshake.acceptor(OURS, "b:2");
        WireFrame hello = first.hello();
        WireFrame proof = first.take(then.take(hello).orElseThrow()).orElseThrow();
        then.take(proof);
        Handshake later = Handshake.acceptor(OURS, "b:2");
        later.take(hello);
        assertThatThrownBy(() -> later.take(proof)).isInstanceOf(Refusal.class);
    }

    @Test
    void refusesAnotherVersion() {
        Handshake acceptor = Handshake.acceptor(OURS, "b:2");
        WireFrame hello = new FrameWriteBuffer()
                .i32(Handshake.MAGIC)
                .u16(9)
                .raw(new byte[40])
                .frame(WireFrame.HELLO);
        assertThatThrownBy(() -> acceptor.take(hello))
                .isInstanceOf(Refusal.class)
                .hasMessage("the peer speaks version 2 of the protocol, the other 9");
    }

    @Test
    void takesNothingOutOfTurn() {
        for (int type = 0; type < 256; type++) {
            WireFrame frame = new WireFrame(type, new byte[100]);
            assertThatThrownBy(() -> Handshake.acceptor(OURS, "b:2").take(frame))
                    .isInstanceOf(BadFrame.class);
        }
    }

    /** A relay listens at the address of a dead peer, and passes messages on to a live one. */
    @Test
    void aPeerThatWasNotDialledIsRefusedByBothSides() throws Exception {
        Handshake live = Handshake.acceptor(OURS, "c:3");
        Handshake opener = opener(OURS);
        assertThatThrownBy(() -> live.take(opener.hello()))
                .isInstanceOf(Refusal.class)
                .hasMessage("it is the peer at c:3, not the one at b:2");
        WireFrame challenge =
                Handshake.acceptor(OURS, "c:3").take(command(OURS).hello()).orElseThrow();
        assertThatThrownBy(() -> opener.take(challenge))
                .isInstanceOf(Refusal.class)
                .hasMessage("it is the peer at c:3, not the one at b:2");
    }

    @Test
    void whomTheOpenerWantsAndItsRoleCannotBeChangedOnTheWay() throws Exception {
        Handshake opener = opener(OURS);
        byte[] hello = opener.hello().body();
        for (int i = 0; i < hello.length; i++) {
            byte[] changed = hello.clone();
            changed[i] ^= 1;
            Handshake acceptor = Handshake.acceptor(OURS, "b:2");
            assertThatThrownBy(() -> {
                        WireFrame challenge = acceptor.take(new WireFrame(WireFrame.HELLO, changed))
                                .orElseThrow();
                        Handshake again = opener(OURS);
                        again.hello();
                        acceptor.take(again.take(challenge).orElseThrow());
                    })
                    .as("byte %d", i)
                    .isInstanceOfAny(Refusal.class, BadFrame.class);
            assertThat(acceptor.isDone()).isFalse();
        }
    }

    @Test
    void framesAreTaggedInTheirOrderAndDirection() throws Exception {
        Handshake opener = command(OURS);
        Handshake acceptor = Handshake.acceptor(OURS, "b:2");
        shake(opener, acceptor);
        FrameCodec ours = new FrameCodec();
        ours.trust(opener);
        FrameCodec theirs = new FrameCodec();
        theirs.trust(acceptor);
        byte[] first = bytes(ours, new WireFrame(20, new byte[] {1, 2, 3}));
        byte[] second = bytes(ours, new WireFrame(21, new byte[0]));
        assertThat(theirs.read(first).body()).containsExactly(1, 2, 3);
        assertThat(theirs.read(second).type()).isEqualTo(21);
        assertThatThrownBy(() -> theirs.read(second)).as("repeated").isInstanceOf(BadFrame.class);
        byte[] third = bytes(ours, new WireFrame(22, new byte[5]));
        byte[] back = third.clone();
        assertThatThrownBy(() -> ours.read(back)).as("sent back").isInstanceOf(BadFrame.class);
        for (int i = 0; i < third.length; i++) {
            FrameCodec fresh = new FrameCodec();
            fresh.trust(acceptor(opener));
            byte[] changed = third.clone();
            changed[i] ^= 1;
            assertThatThrownBy(() -> fresh.read(changed)).as("byte %d", i).isInstanceOf(BadFrame.class);
        }
    }

    /** An acceptor at the end of another handshake: its keys are others. */
    private static Handshake acceptor(Handshake before) throws Exception {
        assertThat(before.isDone()).isTrue();
        Handshake acceptor = Handshake.acceptor(OURS, "b:2");
        shake(command(OURS), acceptor);
        return acceptor;
    }

    private static byte[] bytes(FrameCodec codec, WireFrame frame) throws BadFrame {
        byte[] bytes = new FrameWriteBuffer()
                .raw(codec.head(frame))
                .raw(frame.body())
                .raw(codec.tag(frame))
                .bytes();
        assertThat(codec.following(ByteBuffer.wrap(bytes).getInt())).isEqualTo(bytes.length - Integer.BYTES);
        return Arrays.copyOfRange(bytes, Integer.BYTES, bytes.length);
    }

    @Test
    void aGrantedSecretLetsItsHolderInWithItsRole() throws Exception {
        for (Role role : List.of(Role.CLIENT, Role.OPERATOR)) {
            Handshake acceptor = Handshake.acceptor(OURS, "b:2");
            shake(command(granted(role, "alice")), acceptor);
            assertThat(acceptor.session().roles()).contains(role, Role.CLIENT).doesNotContain(Role.PEER);
            assertThat(acceptor.session().holder()).isEqualTo("alice");
        }
    }

    @Test
    void aHolderThatWasRevokedIsRefusedUntilTheListNamesItNoMore(@TempDir Path folder) throws Exception {
        Path list = Files.writeString(folder.resolve("revoked"), "# left in March\n\n  alice \n");
        List<String> log = new ArrayList<>();
        Cluster ours = new Cluster(OURS.name(), OURS.secret(), Optional.empty(), RevokedHolders.read(list, log::add));
        refusesRevoked(ours);
        assertThat(letsIn(ours, command(granted(Role.CLIENT, "bob")))).isTrue();
        assertThat(letsIn(ours, opener(OURS))).as("a peer has no holder").isTrue();

        Files.delete(list);
        refusesRevoked(ours);
        refusesRevoked(ours);
        assertThat(log).as("once").containsExactly(list + " cannot be read: those that it named stay revoked");
        Files.writeString(list, "carol\n");
        assertThat(letsIn(ours, command(granted(Role.CLIENT, "alice")))).isTrue();
        Files.writeString(list, "carol\nalice\n");
        refusesRevoked(ours);
    }

    private static void refusesRevoked(Cluster ours) {
        assertThatThrownBy(() -> letsIn(ours, command(granted(Role.OPERATOR, "alice"))))
                .isInstanceOf(Refusal.class)
                .hasMessage("the access of alice was revoked");
    }

    private static boolean letsIn(Cluster ours, Handshake opener) throws BadFrame, Refusal {
        Handshake acceptor = Handshake.acceptor(ours, "b:2");
        shake(opener, acceptor);
        return acceptor.isDone() && opener.isDone();
    }

    @Test
    void aGrantedSecretIsGoodForNoOtherRoleAndNoOtherHolder() {
        ClusterSecret alice = OURS.secret().orElseThrow().grant(Role.CLIENT, "alice");
        assertThatThrownBy(() -> shake(opener(granted(Role.CLIENT, "alice")), Handshake.acceptor(OURS, "b:2")))
                .hasMessage("the secret of a client does not let anybody in as a peer");
        ClusterSecret asCluster = ClusterSecret.of(
                HexFormat.of().parseHex(alice.text().substring(alice.text().length() - 64)));
        Cluster forged = new Cluster("ours", Optional.of(asCluster));
        assertThatThrownBy(() -> shake(command(forged), Handshake.acceptor(OURS, "b:2")))
                .hasMessage("the cluster secret is not the same on both sides");
        Cluster grantedAgain = new Cluster("ours", Optional.of(asCluster.grant(Role.OPERATOR, "alice")));
        assertThatThrownBy(() -> shake(command(grantedAgain), Handshake.acceptor(OURS, "b:2")))
                .hasMessage("the cluster secret is not the same on both sides");
        assertThatThrownBy(() -> shake(command(granted(Role.CLIENT, "bob")), Handshake.acceptor(forged, "b:2")))
                .as("one client does not stand in for a peer before another")
                .hasMessage("the cluster secret is not the same on both sides");
        assertThatThrownBy(() -> alice.grant(Role.CLIENT, "bob")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aGrantedSecretIsReadAsItWasWritten(@TempDir Path folder) throws Exception {
        ClusterSecret alice = OURS.secret().orElseThrow().grant(Role.OPERATOR, "alice");
        Path file = folder.resolve("alice");
        PrivateFiles.own(file);
        Files.writeString(file, alice.text() + "\n");
        ClusterSecret read = ClusterSecret.read(file);
        assertThat(read.role()).isEqualTo(Role.OPERATOR);
        assertThat(read.text()).isEqualTo(alice.text());
        Files.writeString(file, alice.text().replace("operator", "emperor"));
        assertThatThrownBy(() -> ClusterSecret.read(file)).hasMessageContaining("a granted secret is");
    }

    @Test
    void aSecretIsLongEnough() {
        assertThatThrownBy(() -> ClusterSecret.of(new byte[15]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a secret has 16 to 65536 bytes, got 15");
    }

    private static void shake(Handshake opener, Handshake acceptor) throws BadFrame, Refusal {
        Optional<WireFrame> frame = Optional.of(opener.hello());
        Handshake next = acceptor;
        while (frame.isPresent()) {
            frame = next.take(frame.get());
            next = next == acceptor ? opener : acceptor;
        }
    }
}
