package dev.perhaps.similarity.text;

import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Decodes UTF-8 that may be malformed. */
final class Utf8 {
    static final int MALFORMED = -1;

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final int CHUNK = 1 << 13;

    private Utf8() {}

    /** True if every byte is one letter. */
    static boolean isAscii(byte[] bytes, int from, int to) {
        long all = 0;
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            all |= (long) WORDS.get(bytes, at);
        }
        for (; at < to; at++) {
            all |= bytes[at];
        }
        return (all & HIGH_BITS) == 0;
    }

    /** The code point of more than one byte that starts at {@code at}, or {@link #MALFORMED}. */
    static int decode(byte[] bytes, int at, int to) {
        int lead = bytes[at] & 0xFF;
        int more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
        if (lead < 0xC2 || lead > 0xF4 || at + more >= to) {
            return MALFORMED;
        }
        int codePoint = lead & 0x3F >> more;
        for (int i = 1; i <= more; i++) {
            int next = bytes[at + i];
            if ((next & 0xC0) != 0x80) {
                return MALFORMED;
            }
            codePoint = codePoint << 6 | next & 0x3F;
        }
        // Written longer than it need be, a surrogate, or beyond Unicode.
        boolean valid = bytes(codePoint) == more + 1
                && (codePoint < Character.MIN_SURROGATE || codePoint > Character.MAX_SURROGATE)
                && codePoint <= Character.MAX_CODE_POINT;
        return valid ? codePoint : MALFORMED;
    }

    /** Bytes of a code point. */
    static int bytes(int codePoint) {
        if (codePoint < 0x80) {
            return 1;
        }
        return codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
    }

    /** The bytes of the string that these are read as, with U+FFFD for what is malformed; never all of it as chars. */
    static byte[] repaired(byte[] bytes, int from, int to) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPLACE);
        ByteBuffer in = ByteBuffer.wrap(bytes, from, to - from);
        CharBuffer chars = CharBuffer.allocate(CHUNK);
        ByteArrayOutputStream out = new ByteArrayOutputStream(to - from);
        CoderResult result;
        do {
            result = decoder.decode(in, chars, true);
            // A code point of two chars comes whole or in the next chunk.
            out.writeBytes(chars.flip().toString().getBytes(StandardCharsets.UTF_8));
            chars.clear();
        } while (result.isOverflow());
        return out.toByteArray();
    }
}
