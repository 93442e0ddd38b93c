package dev.perhaps.cli.input.capture;

import dev.perhaps.cli.input.BadInput;

/** The supported link types of captures: the bytes before the IP header. */
enum Link {
    NULL,
    ETHERNET,
    RAW,
    LOOP,
    LINUX_COOKED,
    LINUX_COOKED_2;

    /** The answer where no IP header follows. */
    static final int NONE = -1;

    private static final int IPV4 = 0x0800;
    private static final int IPV6 = 0x86DD;
    private static final int AF_INET = 2;

    /** The link type of this number, or a refusal; {@code name} is the capture's. */
    static Link numbered(String name, int number) {
        // The registry of link types (draft-ietf-opsawg-pcaplinktype); raw IP went by several numbers over time.
        return switch (number) {
            case 0 -> NULL;
            case 1 -> ETHERNET;
            case 12, 14, 101, 228, 229 -> RAW;
            case 108 -> LOOP;
            case 113 -> LINUX_COOKED;
            case 276 -> LINUX_COOKED_2;
            default ->
                throw new BadInput(name + ": its link type " + number + described(number)
                        + " is not known: Ethernet, raw IP, Linux cooked and loopback are");
        };
    }

    private static String described(int number) {
        return switch (number) {
            case 6 -> " (Token Ring)";
            case 9 -> " (PPP)";
            case 105, 127 -> " (802.11)";
            case 189, 220 -> " (USB)";
            case 195, 230 -> " (802.15.4)";
            case 201, 251 -> " (Bluetooth)";
            default -> "";
        };
    }

    /** Where the IP header starts in a packet's first bytes, or {@link #NONE}. */
    int ipAt(byte[] head, int length) {
        return switch (this) {
            case RAW -> 0;
            case ETHERNET -> behindTypes(head, length, 12, 14);
            case LINUX_COOKED -> behindTypes(head, length, 14, 16);
            case LINUX_COOKED_2 -> behindTypes(head, length, 0, 20);
            case NULL, LOOP -> length >= 4 && isInternet(family(head)) ? 4 : NONE;
        };
    }

    /** Follows VLAN tags: each is two bytes of its own and the type of what comes next. */
    private static int behindTypes(byte[] head, int length, int firstType, int firstPayload) {
        int typeAt = firstType;
        int payload = firstPayload;
        while (payload <= length) {
            int type = (head[typeAt] & 0xFF) << 8 | head[typeAt + 1] & 0xFF;
            if (type == IPV4 || type == IPV6) {
                return payload;
            }
            boolean tag = type == 0x8100 || type == 0x88A8 || type == 0x9100 || type == 0x9200;
            if (!tag) {
                return NONE;
            }
            typeAt = payload + 2;
            payload += 4;
        }
        return NONE;
    }

    /** An address family in whichever byte order the capturing machine had: families are small numbers. */
    private static int family(byte[] head) {
        return head[0] == 0 && head[1] == 0
                ? (head[2] & 0xFF) << 8 | head[3] & 0xFF
                : head[2] == 0 && head[3] == 0 ? (head[1] & 0xFF) << 8 | head[0] & 0xFF : -1;
    }

    /** IPv4 has one number everywhere, IPv6 one a system: Linux 10, NetBSD and OpenBSD 24, FreeBSD 28, macOS 30. */
    private static boolean isInternet(int family) {
        return family == AF_INET || family == 10 || family == 24 || family == 28 || family == 30;
    }
}
