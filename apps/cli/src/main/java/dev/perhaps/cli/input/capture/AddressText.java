package dev.perhaps.cli.input.capture;

/** Writes addresses as people do: dotted IPv4, and IPv6 in the one form of RFC 5952, with its longest run of zeros left out. */
final class AddressText {
    /** The longest text of one address. */
    static final int MAX_BYTES = 39;

    private static final String HEX = "0123456789abcdef";
    private static final int GROUPS = 8;

    private AddressText() {}

    /** Writes the address of {@code bytes} bytes at {@code from}; returns where the text ends. */
    static int write(byte[] source, int from, int bytes, byte[] into, int at) {
        return bytes == 4 ? dotted(source, from, into, at) : grouped(source, from, into, at);
    }

    private static int dotted(byte[] source, int from, byte[] into, int start) {
        int at = start;
        for (int i = 0; i < 4; i++) {
            if (i > 0) {
                into[at++] = '.';
            }
            int part = source[from + i] & 0xFF;
            if (part >= 100) {
                into[at++] = (byte) ('0' + part / 100);
            }
            if (part >= 10) {
                into[at++] = (byte) ('0' + part / 10 % 10);
            }
            into[at++] = (byte) ('0' + part % 10);
        }
        return at;
    }

    private static int grouped(byte[] source, int from, byte[] into, int start) {
        int runAt = -1;
        int runLength = 1; // a single group of zeros is written
        int zeros = 0;
        for (int i = 0; i < GROUPS; i++) {
            zeros = group(source, from, i) == 0 ? zeros + 1 : 0;
            if (zeros > runLength) {
                runLength = zeros;
                runAt = i + 1 - zeros;
            }
        }
        int at = start;
        int i = 0;
        while (i < GROUPS) {
            if (i == runAt) {
                into[at++] = ':';
                into[at++] = ':';
                i += runLength;
                continue;
            }
            boolean behindRun = runAt >= 0 && i == runAt + runLength;
            if (i > 0 && !behindRun) {
                into[at++] = ':';
            }
            at = hex(group(source, from, i++), into, at);
        }
        return at;
    }

    private static int group(byte[] source, int from, int i) {
        return (source[from + 2 * i] & 0xFF) << 8 | source[from + 2 * i + 1] & 0xFF;
    }

    private static int hex(int group, byte[] into, int start) {
        int at = start;
        for (int shift = 12; shift >= 0; shift -= 4) {
            if (group >>> shift != 0 || shift == 0) {
                into[at++] = (byte) HEX.charAt(group >>> shift & 0xF);
            }
        }
        return at;
    }
}
