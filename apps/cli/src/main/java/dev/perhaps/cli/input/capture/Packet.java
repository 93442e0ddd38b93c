package dev.perhaps.cli.input.capture;

/**
 * One packet of a capture: its source, destination and size. The addresses lie in its first bytes, 4 of each for IPv4 and 16
 * for IPv6. Reused from packet to packet; confined to a thread.
 */
final class Packet {
    /** Enough for the longest headers that are understood, with room for many VLAN tags. */
    static final int HEAD_BYTES = 256;

    private static final int IPV4_HEADER_BYTES = 20;
    private static final int IPV6_HEADER_BYTES = 40;

    private final byte[] head = new byte[HEAD_BYTES];
    private int sourceAt;
    private int addressBytes;
    private long wireBytes;

    /** Where a reader puts the packet's first bytes. */
    byte[] head() {
        return head;
    }

    /** Finds the addresses in the first {@code length} bytes; false if there is no complete IP header. */
    boolean parse(Link link, int length, long onTheWire) {
        wireBytes = onTheWire;
        int at = link.ipAt(head, length);
        if (at < 0 || at >= length) {
            return false;
        }
        int version = head[at] >>> 4 & 0xF;
        if (version == 4 && length - at >= IPV4_HEADER_BYTES) {
            sourceAt = at + 12;
            addressBytes = 4;
            return true;
        }
        if (version == 6 && length - at >= IPV6_HEADER_BYTES) {
            sourceAt = at + 8;
            addressBytes = 16;
            return true;
        }
        return false;
    }

    /** Returns the offset of the source's address in {@link #head}; the destination's follows it. */
    int sourceAt() {
        return sourceAt;
    }

    int addressBytes() {
        return addressBytes;
    }

    /** Its length as it was sent, also where less of it was captured. */
    long wireBytes() {
        return wireBytes;
    }
}
