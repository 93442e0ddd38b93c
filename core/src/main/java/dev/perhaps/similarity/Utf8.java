package dev.perhaps.similarity;

/** Decodes one code point of more than one byte. */
final class Utf8 {
    static final int MALFORMED = -1;

    private Utf8() {}

    /** The code point that starts at {@code at}, or {@link #MALFORMED}. */
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
}
