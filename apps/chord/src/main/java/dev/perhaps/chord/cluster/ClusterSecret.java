package dev.perhaps.chord.cluster;

import dev.perhaps.chord.wire.BadFrame;
import dev.perhaps.chord.wire.FrameSeal;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.web.PrivateFiles;
import dev.perhaps.web.Role;
import dev.perhaps.web.SafeText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A secret that grants access to a cluster: the cluster's own, which only its peers know, or one that was granted to a
 * client or an operator. It is never sent over a connection, only proofs of knowing it.
 *
 * <p>{@code ClusterSecret alice = secret.grant(Role.CLIENT, "alice")}
 */
public final class ClusterSecret {
    /*
     * A granted secret is the HMAC-SHA-256 of its role and holder by the cluster's secret. So peers need no list of
     * them: they derive the one that a holder claims to have. The holder cannot derive the cluster's secret from it,
     * nor another holder's, and so can neither be a peer, nor an operator, nor stand in for a peer before another
     * client. One that was revoked is on a list that peers read (RevokedHolders).
     */
    /** The smallest length of a secret. */
    public static final int MIN_BYTES = 16;

    private static final List<Role> BY_NUMBER = List.of(Role.PEER, Role.OPERATOR, Role.CLIENT);
    private static final int MAX_BYTES = 1 << 16;
    private static final String GRANTED = "perhaps-ring-secret";
    private static final Pattern HOLDER = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final Pattern LINE = Pattern.compile(GRANTED + " (client|operator) (\\S+) ([0-9a-f]{64})");

    /** The absence of a secret: it proves nothing, but keeps the handshake the same. */
    public static final ClusterSecret NONE =
            new ClusterSecret("a cluster without a secret".getBytes(StandardCharsets.UTF_8), Role.PEER, "");

    private final byte[] bytes;
    private final Role role;
    private final String holder;

    private ClusterSecret(byte[] bytes, Role role, String holder) {
        this.bytes = bytes;
        this.role = role;
        this.holder = holder;
    }

    /** The secret of a cluster. */
    public static ClusterSecret of(byte[] bytes) {
        if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "a secret has " + MIN_BYTES + " to " + MAX_BYTES + " bytes, got " + bytes.length);
        }
        return new ClusterSecret(bytes.clone(), Role.PEER, "");
    }

    /** The bytes of a file, without the newline at its end; or what {@link #text} gave. */
    public static ClusterSecret read(Path file) throws IOException {
        PrivateFiles.refuseOpenToAll(file);
        if (Files.size(file) > MAX_BYTES) {
            throw new IllegalArgumentException(file + ": a secret has at most " + MAX_BYTES + " bytes");
        }
        byte[] all = Files.readAllBytes(file);
        int end = all.length;
        while (end > 0 && (all[end - 1] == '\n' || all[end - 1] == '\r')) {
            end--;
        }
        try {
            byte[] bytes = Arrays.copyOf(all, end);
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            return text.startsWith(GRANTED + " ") ? granted(text) : of(bytes);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    private static ClusterSecret granted(String line) {
        Matcher parts = LINE.matcher(line);
        if (!parts.matches() || !HOLDER.matcher(parts.group(2)).matches()) {
            throw new IllegalArgumentException("a granted secret is '" + GRANTED + " ROLE HOLDER DIGITS', as it was"
                    + " written by 'perhaps grant'");
        }
        Role role = parts.group(1).equals("client") ? Role.CLIENT : Role.OPERATOR;
        return new ClusterSecret(HexFormat.of().parseHex(parts.group(3)), role, parts.group(2));
    }

    /** The role it grants: the secret of a cluster is for its peers. */
    public Role role() {
        return role;
    }

    /** What the holder of such a secret may do: an operator all that a client may, and a peer everything. */
    public static Set<Role> rolesOf(Role role) {
        return switch (role) {
            case PEER -> Set.of(Role.PEER, Role.OPERATOR, Role.CLIENT);
            case OPERATOR -> Set.of(Role.OPERATOR, Role.CLIENT);
            case CLIENT -> Set.of(Role.CLIENT);
        };
    }

    /** The name it was granted to; empty for the secret of a cluster. */
    public String holder() {
        return holder;
    }

    /** Returns the secret of a client or an operator of this cluster, which is the same each time. */
    public ClusterSecret grant(Role to, String name) {
        if (role != Role.PEER) {
            throw new IllegalArgumentException("only the cluster's own secret grants others, not that of " + holder);
        }
        if (to == Role.PEER) {
            throw new IllegalArgumentException("a peer needs the cluster's own secret: none can be granted to it");
        }
        byte[] statement = new FrameWriteBuffer()
                .text("perhaps ring grant")
                .u8(number(to))
                .text(name)
                .bytes();
        return new ClusterSecret(FrameSeal.hmac(bytes, statement), to, name);
    }

    /** A granted secret as the one line of a file. */
    public String text() {
        if (role == Role.PEER || !HOLDER.matcher(holder).matches()) {
            throw new IllegalArgumentException(
                    "the name of a holder has 1 to 64 letters, digits, '.', '_' and '-', got '" + SafeText.of(holder)
                            + "'");
        }
        return GRANTED + " " + word(role) + " " + holder + " " + HexFormat.of().formatHex(bytes);
    }

    /** As in docs/chord-wire.md. */
    public static int number(Role role) {
        return BY_NUMBER.indexOf(role);
    }

    /** Returns the role of a number, as in docs/chord-wire.md. */
    public static Role numbered(int number) throws BadFrame {
        if (number >= BY_NUMBER.size()) {
            throw new BadFrame("unknown role " + number);
        }
        return BY_NUMBER.get(number);
    }

    private static String word(Role role) {
        return role.name().toLowerCase(Locale.ROOT);
    }

    /** For a sentence: a client, an operator. */
    public static String withArticle(Role role) {
        return (role == Role.OPERATOR ? "an " : "a ") + word(role);
    }

    /** By which the proofs of a handshake are made. */
    public byte[] handshakeKey() {
        return role == Role.PEER ? FrameSeal.hmac(bytes, "perhaps ring peer".getBytes(StandardCharsets.UTF_8)) : bytes;
    }
}
