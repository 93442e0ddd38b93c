package dev.perhaps.chord.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The handshake without sockets: who gets in, and what the others hear. */
class HandshakeTest {
    private static final Cluster OURS = cluster("ours", "correct horse battery");

    private static Cluster cluster(String name, String secret) {
        return new Cluster(name, Optional.of(Secret.of(secret.getBytes(StandardCharsets.UTF_8))));
    }

    @Test
    void bothSidesLearnWhoTheOtherIs() throws Exception {
        Handshake opener = Handshake.opener(OURS, Handshake.Role.PEER, "a:1");
        Handshake acceptor = Handshake.acceptor(OURS, "b:2");
        shake(opener, acceptor);
        assertThat(opener.isDone()).isTrue();
        assertThat(acceptor.isDone()).isTrue();
        assertThat(opener.otherAddress()).isEqualTo("b:2");
        assertThat(acceptor.otherAddress()).isEqualTo("a:1");
        assertThat(acceptor.role()).isEqualTo(Handshake.Role.PEER);
    }

    @Test
    void worksWithoutASecretToo() throws Exception {
        Handshake opener = Handshake.opener(Cluster.open(), Handshake.Role.CALLER, "");
        Handshake acceptor = Handshake.acceptor(Cluster.open(), "b:2");
        shake(opener, acceptor);
        assertThat(acceptor.isDone()).isTrue();
        assertThat(acceptor.role()).isEqualTo(Handshake.Role.CALLER);
    }

    @Test
    void refusesAnotherSecretClusterOrNone() {
        refuses(cluster("ours", "another horse battery"), "the cluster secret is not the same on both sides");
        refuses(cluster("theirs", "correct horse battery"), "the peer is of cluster 'ours', the other of 'theirs'");
        refuses(new Cluster("ours", Optional.empty()), "the peer has a cluster secret, the other has none");
    }

    private static void refuses(Cluster stranger, String reason) {
        Handshake opener = Handshake.opener(stranger, Handshake.Role.PEER, "a:1");
        Handshake acceptor = Handshake.acceptor(OURS, "b:2");
        assertThatThrownBy(() -> shake(opener, acceptor))
                .isInstanceOf(Refusal.class)
                .hasMessage(reason);
        assertThat(acceptor.isDone()).isFalse();
        assertThat(opener.isDone()).isFalse();
    }

    @Test
    void theOpenerRefusesAnAcceptorThatDoesNotKnowTheSecret() throws Exception {
        Handshake opener = Handshake.opener(OURS, Handshake.Role.PEER, "a:1");
        opener.take(new BodyWriter().text("b:2").raw(new byte[32]).frame(Frame.CHALLENGE));
        Frame welcome = new BodyWriter().raw(new byte[32]).frame(Frame.WELCOME);
        assertThatThrownBy(() -> opener.take(welcome)).isInstanceOf(Refusal.class);
        assertThat(opener.isDone()).isFalse();
    }

    @Test
    void aProofCannotBeSentBack() throws Exception {
        Handshake opener = Handshake.opener(OURS, Handshake.Role.PEER, "a:1");
        Frame proof = opener.take(new BodyWriter().text("b:2").raw(new byte[32]).frame(Frame.CHALLENGE))
                .orElseThrow();
        Frame welcome = new Frame(Frame.WELCOME, proof.body());
        assertThatThrownBy(() -> opener.take(welcome)).isInstanceOf(Refusal.class);
    }

    @Test
    void anOldProofIsWorthNothing() throws Exception {
        Handshake first = Handshake.opener(OURS, Handshake.Role.PEER, "a:1");
        Handshake then = Handshake.acceptor(OURS, "b:2");
        Frame hello = first.hello();
        Frame proof = first.take(then.take(hello).orElseThrow()).orElseThrow();
        then.take(proof);
        Handshake later = Handshake.acceptor(OURS, "b:2");
        later.take(hello);
        assertThatThrownBy(() -> later.take(proof)).isInstanceOf(Refusal.class);
    }

    @Test
    void refusesAnotherVersion() {
        Handshake acceptor = Handshake.acceptor(OURS, "b:2");
        Frame hello =
                new BodyWriter().i32(Handshake.MAGIC).u16(9).raw(new byte[40]).frame(Frame.HELLO);
        assertThatThrownBy(() -> acceptor.take(hello))
                .isInstanceOf(Refusal.class)
                .hasMessage("the peer speaks version 1 of the protocol, the other 9");
    }

    @Test
    void takesNothingOutOfTurn() {
        for (int type = 0; type < 256; type++) {
            Frame frame = new Frame(type, new byte[100]);
            assertThatThrownBy(() -> Handshake.acceptor(OURS, "b:2").take(frame))
                    .isInstanceOf(BadFrame.class);
        }
    }

    @Test
    void aSecretIsLongEnough() {
        assertThatThrownBy(() -> Secret.of(new byte[15]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a secret has 16 to 65536 bytes, got 15");
    }

    private static void shake(Handshake opener, Handshake acceptor) throws BadFrame, Refusal {
        Optional<Frame> frame = Optional.of(opener.hello());
        Handshake next = acceptor;
        while (frame.isPresent()) {
            frame = next.take(frame.get());
            next = next == acceptor ? opener : acceptor;
        }
    }
}
