package dev.perhaps.frame;

import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The header of a file: kind and version of the structure, key, parameters, and the length of the payload that follows.
 * Immutable. {@code Frame.look(file)} reads it without the payload.
 */
public final class Frame {
    /*
     * docs/format.md defines the format; this is its header, little-endian:
     *
     *     0  magic            8 bytes   89 'P' 'e' 'r' 'h' 'a' 'p' 's'
     *     8  frame version    u16       1
     *    10  kind             u16       a number of the registry (Kind)
     *    12  kind version     u16       the layout of parameters and payload
     *    14  flags            u16       must be understood: an unknown bit is refused
     *    16  header length    u32       a multiple of 64, so that a mapped payload is aligned to cache lines
     *    20  hash version     u16       2 = XXH3-64, and Mixer of numbers, as Key uses them
     *    22  name length      u16       bytes of the key's name
     *    24  seed             u64
     *    32  payload length   u64       bytes
     *    40  parameter count  u32       words of 8 bytes
     *    44  salt             i32       of the structure's own mix; 0 where the kind has none
     *    48  name, then zeros to a multiple of 8; parameters; zeros; CRC-32C of all before it in the last 4 bytes
     *
     * The payload follows at once, and CRC-32C of the payload after it. A parameter is a long, or a double as its bits.
     */
    static final int VERSION = 1;
    static final int FIXED_BYTES = 48;
    static final int CRC_BYTES = 4;
    static final int MAX_HEADER_BYTES = 1 << 14;
    static final byte[] MAGIC = {(byte) 0x89, 'P', 'e', 'r', 'h', 'a', 'p', 's'};

    private static final int ALIGNMENT_BYTES = 64;
    private static final int MAX_NAME_BYTES = 255;
    private static final short NO_FLAGS = 0;

    private final Kind kind;
    private final int version;
    private final String keyName;
    private final long seed;
    private final int salt;
    private final long payloadBytes;
    private final long[] parameters;

    private Frame(Kind kind, int version, String keyName, long seed, int salt, long payloadBytes, long[] parameters) {
        this.kind = kind;
        this.version = version;
        this.keyName = keyName;
        this.seed = seed;
        this.salt = salt;
        this.payloadBytes = payloadBytes;
        this.parameters = parameters;
    }

    /** The frame of a structure of the newest version of its kind, without salt. */
    public static Frame of(Kind kind, Key<?> key, long payloadBytes, long... parameters) {
        return new Frame(kind, kind.version(), key.name(), key.seed(), 0, payloadBytes, parameters.clone());
    }

    /** This frame with the salt of a structure's own mix; only of a kind that has one. */
    public Frame salted(int ownSalt) {
        if (ownSalt != 0 && !kind.isSalted()) {
            throw new IllegalArgumentException("a " + kind + " has no salt, got " + ownSalt);
        }
        return new Frame(kind, version, keyName, seed, ownSalt, payloadBytes, parameters);
    }

    /** Reads and checks the header of a file, and that the file is as long as the header says. */
    public static Frame look(Path file) throws IOException {
        try (FrameReader reader = FrameReader.open(file)) {
            return reader.frame();
        }
    }

    public Kind kind() {
        return kind;
    }

    /** The version of the kind's layout. */
    public int version() {
        return version;
    }

    public String keyName() {
        return keyName;
    }

    public long seed() {
        return seed;
    }

    /** The salt of the structure's own mix (default: 0). */
    public int salt() {
        return salt;
    }

    public long payloadBytes() {
        return payloadBytes;
    }

    public int parameterCount() {
        return parameters.length;
    }

    /** Parameter {@code i} of the kind's list; a file that has fewer is refused. */
    public long parameter(int i) throws FormatException {
        if (i >= parameters.length) {
            throw new FormatException(
                    "a " + kind + " file has at least " + (i + 1) + " parameters, this one has " + parameters.length);
        }
        return parameters[i];
    }

    public double parameterAsDouble(int i) throws FormatException {
        return Double.longBitsToDouble(parameter(i));
    }

    /**
     * Throws a {@code FormatException} unless a condition of the file's values holds: {@code frame.require(bits > 0,
     * "bits", bits)}.
     */
    public void require(boolean holds, String what, Object value) throws FormatException {
        if (!holds) {
            throw new FormatException("a " + kind + " file cannot have " + what + " " + value + ": it is damaged");
        }
    }

    /** The public view of this header. */
    public Sketch.Header describe() {
        return new Sketch.Header(kind, version, keyName, seed, salt, fileBytes());
    }

    /** Length of the whole file. */
    public long fileBytes() {
        return headerBytes() + payloadBytes + CRC_BYTES;
    }

    int headerBytes() {
        int name = keyName.getBytes(StandardCharsets.UTF_8).length;
        return roundUp(FIXED_BYTES + roundUp(name, 8) + parameters.length * 8 + CRC_BYTES, ALIGNMENT_BYTES);
    }

    /** Writes the payload. */
    @FunctionalInterface
    public interface Payload {
        void writeTo(PayloadOutput out) throws IOException;
    }

    /** Writes header, payload and checksums. */
    public void write(OutputStream out, Payload payload) throws IOException {
        out.write(header().array());
        PayloadOutput payloadOut = new PayloadOutput(out);
        payload.writeTo(payloadOut);
        payloadOut.end(payloadBytes);
    }

    private ByteBuffer header() {
        byte[] name = keyName.getBytes(StandardCharsets.UTF_8);
        int bytes = headerBytes();
        if (name.length > MAX_NAME_BYTES || bytes > MAX_HEADER_BYTES) {
            throw new IllegalStateException("a header has at most " + MAX_HEADER_BYTES + " bytes, got " + bytes);
        }
        ByteBuffer header = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        header.put(MAGIC).putShort((short) VERSION).putShort((short) kind.number());
        header.putShort((short) version).putShort(NO_FLAGS).putInt(bytes);
        header.putShort((short) Key.HASH_VERSION).putShort((short) name.length);
        header.putLong(seed).putLong(payloadBytes).putInt(parameters.length).putInt(salt);
        header.put(name).position(FIXED_BYTES + roundUp(name.length, 8));
        for (long parameter : parameters) {
            header.putLong(parameter);
        }
        header.putInt(bytes - CRC_BYTES, crc(header, bytes - CRC_BYTES));
        return header.clear();
    }

    /** Refuses bytes that do not start with the magic bytes, as far as they have been read. */
    static void checkMagic(ByteBuffer start) throws FormatException {
        if (start.position() == 0) {
            throw new FormatException("it is cut short: it is empty");
        }
        for (int i = 0; i < start.position(); i++) {
            if (start.get(i) != MAGIC[i]) {
                throw new FormatException("not a Perhaps file: wrong magic bytes");
            }
        }
    }

    /** Reads the length of the header from its fixed part, having checked that it can be one. */
    static int headerBytes(ByteBuffer fixed) throws FormatException {
        int frameVersion = fixed.getShort(8) & 0xFFFF;
        if (frameVersion != VERSION) {
            throw new FormatException("the file has frame version " + frameVersion + ", this program reads version "
                    + VERSION + ": use a newer Perhaps");
        }
        int bytes = fixed.getInt(16);
        if (bytes < FIXED_BYTES + CRC_BYTES || bytes > MAX_HEADER_BYTES || bytes % ALIGNMENT_BYTES != 0) {
            throw new FormatException(
                    "the header cannot be " + Integer.toUnsignedString(bytes) + " bytes: it is damaged");
        }
        return bytes;
    }

    /** Reads a whole header. */
    static Frame parse(ByteBuffer header) throws FormatException {
        int bytes = headerBytes(header);
        if (header.getInt(bytes - CRC_BYTES) != crc(header, bytes - CRC_BYTES)) {
            throw new FormatException("the header's checksum does not fit: the file is damaged");
        }
        int kindNumber = header.getShort(10) & 0xFFFF;
        Kind kind = Kind.numbered(kindNumber);
        if (kind == null) {
            throw new FormatException("the file holds kind " + kindNumber + ", which this program does not know: "
                    + "use a newer Perhaps");
        }
        int version = header.getShort(12) & 0xFFFF;
        if (version == 0 || version > kind.version()) {
            throw new FormatException("the file holds version " + version + " of a " + kind
                    + ", this program reads up to version " + kind.version() + ": use a newer Perhaps");
        }
        int flags = header.getShort(14) & 0xFFFF;
        if (flags != 0) {
            throw new FormatException("the file has flags 0x" + Integer.toHexString(flags)
                    + " that must be understood, and this program knows none of them: use a newer Perhaps");
        }
        int hashVersion = header.getShort(20) & 0xFFFF;
        if (hashVersion != Key.HASH_VERSION) {
            throw new FormatException("the file has hash version " + hashVersion + ", this program has version "
                    + Key.HASH_VERSION + ": "
                    + (hashVersion < Key.HASH_VERSION ? "build the file again" : "use a newer Perhaps"));
        }
        int salt = header.getInt(44);
        if (salt != 0 && !kind.isSalted()) {
            throw new FormatException("a " + kind + " file cannot have salt " + salt + ": it is damaged");
        }
        int nameBytes = header.getShort(22) & 0xFFFF;
        long payloadBytes = header.getLong(32);
        int count = header.getInt(40);
        int parametersAt = FIXED_BYTES + roundUp(nameBytes, 8);
        long needed = parametersAt + count * 8L + CRC_BYTES;
        if (nameBytes > MAX_NAME_BYTES || count < 0 || needed > bytes || payloadBytes < 0) {
            throw new FormatException("the header contradicts itself: the file is damaged");
        }
        byte[] bytesOfName = new byte[nameBytes];
        header.get(FIXED_BYTES, bytesOfName);
        String name = new String(bytesOfName, StandardCharsets.UTF_8);
        // Names are shown to people: a line break or a control character in a name could fake other output.
        boolean text = Arrays.equals(name.getBytes(StandardCharsets.UTF_8), bytesOfName);
        if (!text || name.isBlank() || name.chars().anyMatch(Character::isISOControl)) {
            throw new FormatException("the name of its key is not a line of text: the file is damaged");
        }
        long[] parameters = new long[count];
        for (int i = 0; i < count; i++) {
            parameters[i] = header.getLong(parametersAt + i * 8);
        }
        return new Frame(kind, version, name, header.getLong(24), salt, payloadBytes, parameters);
    }

    private static int crc(ByteBuffer header, int bytes) {
        CRC32C crc = new CRC32C();
        crc.update(header.duplicate().position(0).limit(bytes));
        return (int) crc.getValue();
    }

    private static int roundUp(int n, int multiple) {
        return (n + multiple - 1) / multiple * multiple;
    }

    @Override
    public String toString() {
        return kind + " version " + version + " of key " + keyName + " (seed " + Long.toHexString(seed) + "), "
                + Figures.bytes(payloadBytes);
    }
}
