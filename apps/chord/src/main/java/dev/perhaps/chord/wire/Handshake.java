package dev.perhaps.chord.wire;

import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.ClusterSecret;
import dev.perhaps.chord.cluster.Refusal;
import dev.perhaps.web.Role;
import dev.perhaps.web.SafeText;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of a connection, on either side: both learn who the other is, prove that they know the secret, and agree on the
 * keys of what follows. It takes frames and gives frames, and knows no socket. Confined to one thread at a time.
 */
final class Handshake {
    /*
     *     opener                                        acceptor
     *     HELLO   magic, version, use, role, ...,
     *             whom it wants, nonce            ──→   another magic: no answer; version, cluster, whom: REFUSED
     *     whom: REFUSED                           ←──   CHALLENGE   own address, nonce
     *     PROOF   HMAC(key, "opener", T)          ──→   wrong: REFUSED
     *     wrong: REFUSED                          ←──   WELCOME   HMAC(key, "acceptor", T)
     *
     * T is the SHA-256 of both bodies, so each proof is about all that was said: the role, both addresses, whom the
     * opener wants, and both nonces, so that an old one is worth nothing. The words differ, so a proof cannot be sent
     * back to where it came from. The opener proves first: a stranger that only connects gets nothing to test secrets
     * with.
     *
     * Somebody who listens at the address of a dead peer can pass all of this on to a live one. A peer that wants to speak
     * with the dead one notices, for the live one says who it is; and nobody in between can speak, for every later frame
     * carries a tag by a key that comes from the secret and T: see FrameSeal. It does not encrypt.
     *
     * Where connections are TLS, all of this goes on inside of it, with a secret or without. Then the certificate says what the
     * opener may do: less, if the role that it names allows less than the one that was proved. And the acceptor's has to be a
     * peer's, or a client could pose as one.
     */
    static final int MAGIC = 0x50524852;
    static final int VERSION = 2;

    private static final int NONCE_BYTES = 32;
    private static final int PROOF_BYTES = 32;
    private static final int MAX_HOLDER_BYTES = 64;
    private static final int MAX_CLUSTER_BYTES = 400;
    private static final int MIN_PATIENCE_MILLIS = 100;
    private static final int MAX_PATIENCE_MILLIS = 600_000;
    private static final SecureRandom RANDOM = new SecureRandom();

    private enum Stage {
        HELLO,
        CHALLENGE,
        PROOF,
        WELCOME,
        DONE
    }

    private final Cluster cluster;
    private final String address;
    private final boolean opener;
    private final byte[] nonce = new byte[NONCE_BYTES];
    private Stage stage;
    private Session.Use use = Session.Use.COMMANDS;
    private Role role = Role.PEER;
    private String holder = "";
    private String wanted = "";
    private int patienceMillis = MIN_PATIENCE_MILLIS;
    private String otherAddress = "";
    private byte[] helloBody = {};
    private byte[] transcript = {};
    private @Nullable CertifiedCaller certified;
    private @Nullable FrameSeal sending;
    private @Nullable FrameSeal receiving;

    private Handshake(Cluster cluster, String address, boolean opener) {
        this.cluster = cluster;
        this.address = address;
        this.opener = opener;
        this.stage = opener ? Stage.CHALLENGE : Stage.HELLO;
        RANDOM.nextBytes(nonce);
    }

    /**
     * The side that connects.
     *
     * @param address where the opener is reached itself; empty for a command
     * @param wanted the peer that must be at the other end; empty if any will do
     * @param patienceMillis how long the opener will wait for answers
     */
    static Handshake opener(Cluster cluster, Session.Use use, String address, String wanted, int patienceMillis) {
        Handshake handshake = new Handshake(cluster, address, true);
        handshake.use = use;
        handshake.wanted = wanted;
        handshake.patienceMillis = Math.max(MIN_PATIENCE_MILLIS, Math.min(MAX_PATIENCE_MILLIS, patienceMillis));
        cluster.secret().ifPresent(secret -> {
            handshake.role = secret.role();
            handshake.holder = secret.holder();
        });
        return handshake;
    }

    static Handshake acceptor(Cluster cluster, String address) {
        return new Handshake(cluster, address, false);
    }

    /** The other side has shown this certificate, before anything was said. */
    void certified(CertifiedCaller other) {
        certified = other;
    }

    boolean isOpener() {
        return opener;
    }

    boolean isDone() {
        return stage == Stage.DONE;
    }

    /** Where the other side is reached; empty for a command. */
    String otherAddress() {
        return otherAddress;
    }

    /** Who the opener is. */
    Session session() {
        Set<Role> roles = ClusterSecret.rolesOf(role);
        String name = holder;
        CertifiedCaller other = certified;
        if (!opener && other != null && !other.roles().containsAll(roles)) {
            roles = roles.stream().filter(other.roles()::contains).collect(Collectors.toUnmodifiableSet());
            name = other.name();
        }
        return new Session(roles, name, use, opener ? address : otherAddress, patienceMillis);
    }

    /** The tags of what this side sends; null without a secret. */
    @Nullable
    FrameSeal sending() {
        return sending;
    }

    /** The tags of what the other side sends; null without a secret. */
    @Nullable
    FrameSeal receiving() {
        return receiving;
    }

    /** What the opener says first. */
    WireFrame hello() {
        WireFrame hello = new FrameWriteBuffer()
                .i32(MAGIC)
                .u16(VERSION)
                .u8(use.number())
                .u8(ClusterSecret.number(role))
                .flag(cluster.secret().isPresent())
                .i32(patienceMillis)
                .text(cluster.name())
                .text(holder)
                .text(address)
                .text(wanted)
                .raw(nonce)
                .frame(WireFrame.HELLO);
        helloBody = hello.body();
        return hello;
    }

    static WireFrame refused(Refusal refusal) {
        return new FrameWriteBuffer().text(String.valueOf(refusal.getMessage())).frame(WireFrame.REFUSED);
    }

    /** Takes what the other side said, and gives what to answer, if anything. */
    Optional<WireFrame> take(WireFrame frame) throws BadFrame, Refusal {
        FrameReadBuffer body = frame.read();
        if (opener && frame.type() == WireFrame.REFUSED) {
            throw new Refusal(body.sentence(), true);
        }
        return Optional.ofNullable(answer(frame, body));
    }

    private @Nullable WireFrame answer(WireFrame frame, FrameReadBuffer body) throws BadFrame, Refusal {
        int type = frame.type();
        checkCertificate();
        if (stage == Stage.HELLO && type == WireFrame.HELLO) {
            return challenge(frame, body);
        }
        if (stage == Stage.CHALLENGE && type == WireFrame.CHALLENGE) {
            otherAddress = body.address();
            body.raw(NONCE_BYTES);
            body.end();
            if (!wanted.isEmpty() && !wanted.equals(otherAddress)) {
                throw new Refusal("it is the peer at " + otherAddress + ", not the one at " + wanted, false);
            }
            transcript = transcript(helloBody, frame.body());
            stage = Stage.WELCOME;
            return new FrameWriteBuffer().raw(prove("opener")).frame(WireFrame.PROOF);
        }
        if (stage == Stage.PROOF && type == WireFrame.PROOF) {
            check("opener", body);
            checkNotRevoked();
            finish();
            return new FrameWriteBuffer().raw(prove("acceptor")).frame(WireFrame.WELCOME);
        }
        if (stage == Stage.WELCOME && type == WireFrame.WELCOME) {
            check("acceptor", body);
            checkNotRevoked();
            finish();
            return null;
        }
        throw new BadFrame("unexpected frame in a handshake: type " + type);
    }

    private void checkCertificate() throws Refusal {
        if (cluster.tls().isEmpty()) {
            return;
        }
        CertifiedCaller other = certified;
        if (other == null || other.roles().isEmpty()) {
            throw new Refusal(
                    "the certificate" + (other == null ? "" : " of " + other.name()) + " names no role: it needs "
                            + "perhaps:client, perhaps:operator or perhaps:peer among its names",
                    false);
        }
        if (opener && !other.roles().contains(Role.PEER)) {
            throw new Refusal("the certificate of " + other.name() + " is not that of a peer", false);
        }
    }

    private WireFrame challenge(WireFrame hello, FrameReadBuffer body) throws BadFrame, Refusal {
        int magic = body.i32();
        if (magic != MAGIC) {
            throw new BadFrame("wrong magic number in a handshake: " + Integer.toHexString(magic));
        }
        int version = body.u16();
        if (version != VERSION) {
            throw new Refusal("the peer speaks version " + VERSION + " of the protocol, the other " + version, false);
        }
        use = Session.Use.numbered(body.u8());
        role = ClusterSecret.numbered(body.u8());
        boolean secured = body.flag();
        patienceMillis = body.atMost(MAX_PATIENCE_MILLIS, body.i32());
        String name = SafeText.of(body.text(MAX_CLUSTER_BYTES));
        holder = SafeText.of(body.text(MAX_HOLDER_BYTES));
        otherAddress = body.addressOrNone();
        wanted = body.addressOrNone();
        body.raw(NONCE_BYTES);
        body.end();
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
        if (use != Session.Use.COMMANDS && role != Role.PEER) {
            throw new Refusal(
                    "the secret of " + ClusterSecret.withArticle(role) + " does not let anybody in as a peer", false);
        }
        if (use != Session.Use.COMMANDS && !session().roles().contains(Role.PEER)) {
            throw new Refusal("the certificate of " + session().holder() + " does not let anybody in as a peer", false);
        }
        if ((use == Session.Use.COMMANDS) != otherAddress.isEmpty()) {
            throw new BadFrame("every peer states its address, and nobody else does");
        }
        if (!wanted.isEmpty() && !wanted.equals(address)) {
            throw new Refusal("it is the peer at " + address + ", not the one at " + wanted, false);
        }
        WireFrame challenge = new FrameWriteBuffer().text(address).raw(nonce).frame(WireFrame.CHALLENGE);
        transcript = transcript(hello.body(), challenge.body());
        stage = Stage.PROOF;
        return challenge;
    }

    private void check(String word, FrameReadBuffer body) throws BadFrame, Refusal {
        byte[] proof = body.raw(PROOF_BYTES);
        body.end();
        if (!MessageDigest.isEqual(prove(word), proof)) {
            throw new Refusal("the cluster secret is not the same on both sides", false);
        }
    }

    /** Checks revocation after the client has proved its identity, so that only it learns the reason. */
    private void checkNotRevoked() throws Refusal {
        CertifiedCaller other = certified;
        for (String name : List.of(holder, other == null ? "" : other.name())) {
            if (!name.isEmpty() && cluster.revoked().contains(name)) {
                throw new Refusal("the access of " + name + " was revoked", false);
            }
        }
    }

    /** The key is the opener's: a peer knows all that are made from its own. */
    private byte[] key() {
        ClusterSecret own = cluster.secret().orElse(ClusterSecret.NONE);
        return (opener || role == Role.PEER ? own : own.grant(role, holder)).handshakeKey();
    }

    private byte[] prove(String word) {
        return FrameSeal.hmac(
                key(), new FrameWriteBuffer().text(word).raw(transcript).bytes());
    }

    private void finish() {
        stage = Stage.DONE;
        if (cluster.secret().isPresent()) {
            byte[] session = prove("session");
            FrameSeal fromOpener = new FrameSeal(FrameSeal.hmac(session, word("from the opener")));
            FrameSeal fromAcceptor = new FrameSeal(FrameSeal.hmac(session, word("from the acceptor")));
            sending = opener ? fromOpener : fromAcceptor;
            receiving = opener ? fromAcceptor : fromOpener;
        }
    }

    private static byte[] word(String word) {
        return word.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] transcript(byte[] hello, byte[] challenge) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(new FrameWriteBuffer().u16(hello.length).bytes());
            digest.update(hello);
            digest.update(challenge);
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }
}
