package dev.perhaps.chord.net;

import java.security.SecureRandom;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of a connection, on either side: both learn who the other is, and prove that they know the secret. It takes
 * frames and gives frames, and knows no socket. Confined to one thread at a time.
 */
final class Handshake {
    /*
     *     opener                                        acceptor
     *     HELLO   magic, version, role, cluster,
     *             address, nonce                  ──→   another magic: no answer; version, cluster: REFUSED
     *                                             ←──   CHALLENGE   address, nonce
     *     PROOF   HMAC("opener", all of the above) ──→  wrong: REFUSED
     *     wrong: REFUSED                          ←──   WELCOME   HMAC("acceptor", all of the above)
     *
     * Both nonces are in both proofs, so an old one is worth nothing; the words differ, so a proof cannot be sent back to
     * where it came from. The opener proves first: whoever only knocks gets nothing to try secrets on.
     *
     * What this is not: it does not encrypt, and somebody who can change bytes on the way can do so after the handshake.
     * Across networks that are not trusted, peers belong into a tunnel.
     */
    static final int MAGIC = 0x50524852;
    static final int VERSION = 1;

    private static final int NONCE_BYTES = 32;
    private static final int PROOF_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Why a connection is opened. */
    enum Role {
        /** To exchange messages of the protocol. */
        PEER(0),
        /** To ask for something, and wait for the answer. */
        CALLER(1);

        private final int number;

        Role(int number) {
            this.number = number;
        }

        private static Role numbered(int number) throws BadFrame {
            for (Role role : values()) {
                if (role.number == number) {
                    return role;
                }
            }
            throw new BadFrame("there is no role " + number);
        }
    }

    private enum Stage {
        HELLO,
        CHALLENGE,
        PROOF,
        WELCOME,
        DONE
    }

    private final Cluster cluster;
    private final String address;
    private final byte[] nonce = new byte[NONCE_BYTES];
    private final boolean opener;
    private Stage stage;
    private Role role = Role.PEER;
    private String otherAddress = "";
    private byte[] otherNonce = {};

    private Handshake(Cluster cluster, String address, boolean opener) {
        this.cluster = cluster;
        this.address = address;
        this.opener = opener;
        this.stage = opener ? Stage.CHALLENGE : Stage.HELLO;
        RANDOM.nextBytes(nonce);
    }

    /** @param address where the opener is reached itself; empty for a caller */
    static Handshake opener(Cluster cluster, Role role, String address) {
        Handshake handshake = new Handshake(cluster, address, true);
        handshake.role = role;
        return handshake;
    }

    static Handshake acceptor(Cluster cluster, String address) {
        return new Handshake(cluster, address, false);
    }

    boolean isOpener() {
        return opener;
    }

    boolean isDone() {
        return stage == Stage.DONE;
    }

    Role role() {
        return role;
    }

    /** Where the other side is reached; empty for a caller. */
    String otherAddress() {
        return otherAddress;
    }

    /** What the opener says first. */
    Frame hello() {
        return new BodyWriter()
                .i32(MAGIC)
                .u16(VERSION)
                .u8(role.number)
                .flag(cluster.secret().isPresent())
                .text(cluster.name())
                .text(address)
                .raw(nonce)
                .frame(Frame.HELLO);
    }

    static Frame refused(Refusal refusal) {
        return new BodyWriter().text(String.valueOf(refusal.getMessage())).frame(Frame.REFUSED);
    }

    /** Takes what the other side said, and gives what to answer, if anything. */
    Optional<Frame> take(Frame frame) throws BadFrame, Refusal {
        BodyReader body = frame.read();
        if (opener && frame.type() == Frame.REFUSED) {
            throw new Refusal(body.sentence(), true);
        }
        Frame answer = answer(frame.type(), body);
        body.end();
        return Optional.ofNullable(answer);
    }

    private @Nullable Frame answer(int type, BodyReader body) throws BadFrame, Refusal {
        if (stage == Stage.HELLO && type == Frame.HELLO) {
            return challenge(body);
        }
        if (stage == Stage.CHALLENGE && type == Frame.CHALLENGE) {
            otherAddress = body.address();
            otherNonce = body.raw(NONCE_BYTES);
            stage = Stage.WELCOME;
            return new BodyWriter().raw(secret().prove(statement("opener"))).frame(Frame.PROOF);
        }
        if (stage == Stage.PROOF && type == Frame.PROOF) {
            check("opener", body);
            stage = Stage.DONE;
            return new BodyWriter().raw(secret().prove(statement("acceptor"))).frame(Frame.WELCOME);
        }
        if (stage == Stage.WELCOME && type == Frame.WELCOME) {
            check("acceptor", body);
            stage = Stage.DONE;
            return null;
        }
        throw new BadFrame("a handshake does not go on with a frame of type " + type);
    }

    private Frame challenge(BodyReader body) throws BadFrame, Refusal {
        int magic = body.i32();
        if (magic != MAGIC) {
            throw new BadFrame("a handshake begins with another number, got " + Integer.toHexString(magic));
        }
        int version = body.u16();
        if (version != VERSION) {
            throw new Refusal("the peer speaks version " + VERSION + " of the protocol, the other " + version, false);
        }
        Role wanted = Role.numbered(body.u8());
        boolean secured = body.flag();
        String name = body.sentence();
        otherAddress = body.addressOrNone();
        otherNonce = body.raw(NONCE_BYTES);
        if (!name.equals(cluster.name())) {
            throw new Refusal("the peer is of cluster '" + cluster.name() + "', the other of '" + name + "'", false);
        }
        if (secured != cluster.secret().isPresent()) {
            throw new Refusal(
                    secured
                            ? "the peer has no cluster secret, the other has one"
                            : "the peer has a cluster secret, the other has none",
                    false);
        }
        role = wanted;
        stage = Stage.PROOF;
        return new BodyWriter().text(address).raw(nonce).frame(Frame.CHALLENGE);
    }

    private void check(String word, BodyReader body) throws BadFrame, Refusal {
        if (!secret().isProof(statement(word), body.raw(PROOF_BYTES))) {
            throw new Refusal("the cluster secret is not the same on both sides", false);
        }
    }

    private Secret secret() {
        return cluster.secret().orElse(Secret.NONE);
    }

    private byte[] statement(String word) {
        return new BodyWriter()
                .text(word)
                .u16(VERSION)
                .u8(role.number)
                .text(cluster.name())
                .text(opener ? address : otherAddress)
                .text(opener ? otherAddress : address)
                .raw(opener ? nonce : otherNonce)
                .raw(opener ? otherNonce : nonce)
                .frame(Frame.PROOF)
                .body();
    }
}
