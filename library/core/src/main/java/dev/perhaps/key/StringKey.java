package dev.perhaps.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Hashes a string as its UTF-8 bytes, encoded into a buffer of the thread: no allocation. */
final class StringKey extends Xxh3Key<String> {
    /*
     * hash4j's own hashing of characters takes UTF-16 and so gives other hashes than the bytes of a file would. The
     * encoder below is ours because the JDK's allocates: it writes what String.getBytes(UTF_8) writes, a lone surrogate
     * as '?' included. ASCII is copied in one go: bytes stored one by one make the hash, which loads eight at a time,
     * wait for every store (10⁶ strings of 20 characters, out of cache: 105 ns per hash instead of 170). Words that are
     * put together from characters, without a copy, are slower still: 31 ns in the cache where this takes 15. Strings
     * longer than MAX_SCRATCH_CHARS chars are rare, cost microseconds to hash anyway, and would pin a large buffer to
     * every thread: they take the JDK's way.
     */
    static final String NAME = "utf8";
    static final StringKey DEFAULT = new StringKey(DEFAULT_SEED);

    private static final int MAX_SCRATCH_CHARS = 1 << 14;
    private static final int MAX_BYTES_PER_CHAR = 3;
    private static final ThreadLocal<byte[]> SCRATCH =
            ThreadLocal.withInitial(() -> new byte[MAX_SCRATCH_CHARS * MAX_BYTES_PER_CHAR]);

    private StringKey(long seed) {
        super(NAME, seed);
    }

    @Override
    public long hash(String value) {
        if (Objects.requireNonNull(value, KeyName.NO_VALUE).length() > MAX_SCRATCH_CHARS) {
            return hasher.hashBytesToLong(value.getBytes(StandardCharsets.UTF_8));
        }
        byte[] scratch = SCRATCH.get();
        return hasher.hashBytesToLong(scratch, 0, encode(value, scratch));
    }

    /** The same of any characters, which are read one by one. */
    long hashChars(CharSequence value) {
        if (value.length() > MAX_SCRATCH_CHARS) {
            return hash(value.toString());
        }
        byte[] scratch = SCRATCH.get();
        return hasher.hashBytesToLong(scratch, 0, encodeBeyondAscii(value, scratch));
    }

    /** Returns a buffer of this thread. Its content is valid until the next call of any method of this class. */
    static byte[] scratch() {
        return SCRATCH.get();
    }

    /** Writes the UTF-8 bytes of {@code value} and returns how many. */
    @SuppressWarnings(
            "deprecation") // it drops high bytes, and there are none; no other method copies without allocating
    private static int encode(String value, byte[] into) {
        int length = value.length();
        int all = 0;
        for (int i = 0; i < length; i++) {
            all |= value.charAt(i);
        }
        if (all >= 0x80) {
            return encodeBeyondAscii(value, into);
        }
        value.getBytes(0, length, into, 0);
        return length;
    }

    private static int encodeBeyondAscii(CharSequence value, byte[] into) {
        int length = value.length();
        int at = 0;
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (c < 0x80) {
                into[at++] = (byte) c;
            } else if (c < 0x800) {
                into[at++] = (byte) (0xC0 | c >> 6);
                into[at++] = (byte) (0x80 | c & 0x3F);
            } else if (!Character.isSurrogate(c)) {
                into[at++] = (byte) (0xE0 | c >> 12);
                into[at++] = (byte) (0x80 | c >> 6 & 0x3F);
                into[at++] = (byte) (0x80 | c & 0x3F);
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < length
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                int point = Character.toCodePoint(c, value.charAt(++i));
                into[at++] = (byte) (0xF0 | point >> 18);
                into[at++] = (byte) (0x80 | point >> 12 & 0x3F);
                into[at++] = (byte) (0x80 | point >> 6 & 0x3F);
                into[at++] = (byte) (0x80 | point & 0x3F);
            } else {
                into[at++] = '?';
            }
        }
        return at;
    }

    @Override
    public StringKey seeded(long otherSeed) {
        return new StringKey(otherSeed);
    }

    @Override
    public void write(String value, DataOutput out) throws IOException {
        BytesKey.DEFAULT.write(value.getBytes(StandardCharsets.UTF_8), out);
    }

    @Override
    public String read(DataInput in) throws IOException {
        return new String(BytesKey.DEFAULT.read(in), StandardCharsets.UTF_8);
    }
}
