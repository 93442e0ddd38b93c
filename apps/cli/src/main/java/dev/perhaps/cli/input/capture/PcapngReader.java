package dev.perhaps.cli.input.capture;

import dev.perhaps.cli.input.BadInput;
import java.io.IOException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Reads the blocks of a pcapng capture whose first four bytes have been read. */
final class PcapngReader {
    /*
     * Every block:    type u32 · length u32 · body · length u32       all in the byte order of its section
     *
     *     0A0D0D0A  section header    byte-order mark 1A2B3C4D, versions, section length; starts a new list of interfaces
     *            1  interface         link type u16, reserved u16, snapshot length u32 (0: no limit), options
     *            2  packet (old)      interface u16, drops u16, time u64, captured u32, on the wire u32, bytes
     *            3  simple packet     on the wire u32, bytes; of the first interface
     *            6  enhanced packet   interface u32, time u64, captured u32, on the wire u32, bytes
     *
     * All others (names, statistics, secrets, private ones) are skipped by their length.
     */
    private static final int SECTION = Capture.PCAPNG;
    private static final int INTERFACE = 1;
    private static final int OLD_PACKET = 2;
    private static final int SIMPLE_PACKET = 3;
    private static final int PACKET = 6;

    private static final int BYTE_ORDER_MARK = 0x1A2B3C4D;
    private static final int FRAME_BYTES = 12;
    private static final int MAX_INTERFACES = 1 << 16;

    private final Capture capture;
    private final List<Interface> interfaces = new ArrayList<>();

    private record Interface(int linkType, long snapshotBytes) {}

    PcapngReader(Capture capture) {
        this.capture = capture;
    }

    void read() throws IOException {
        section();
        while (capture.fillOrEnd(4)) {
            int type = (int) capture.number(0);
            if (type == SECTION) {
                section();
            } else {
                block(type);
            }
        }
    }

    /** A section header: the type, a palindrome, has been read; the length comes before the byte order is known. */
    private void section() throws IOException {
        capture.fill(8);
        capture.order(ByteOrder.BIG_ENDIAN);
        if ((int) capture.number(4) != BYTE_ORDER_MARK) {
            capture.order(ByteOrder.LITTLE_ENDIAN);
        }
        if ((int) capture.number(4) != BYTE_ORDER_MARK) {
            throw capture.damaged("a section has no byte-order mark");
        }
        long length = checked(capture.number(0), 16);
        capture.fill(4);
        if (capture.shortNumber(0) != 1) {
            throw new BadInput(capture.name() + ": it is pcapng of version " + capture.shortNumber(0)
                    + ", and only version 1 is supported");
        }
        interfaces.clear();
        end(length, 16);
    }

    private void block(int type) throws IOException {
        capture.fill(4);
        long length = capture.number(0);
        switch (type) {
            case INTERFACE -> {
                checked(length, 8);
                capture.fill(8);
                if (interfaces.size() == MAX_INTERFACES) {
                    throw capture.damaged("a section has more than " + MAX_INTERFACES + " interfaces");
                }
                interfaces.add(new Interface(capture.shortNumber(0), capture.number(4)));
                end(length, 16);
            }
            case PACKET, OLD_PACKET -> {
                checked(length, 20);
                capture.fill(20);
                Interface from = numbered(type == PACKET ? capture.number(0) : capture.shortNumber(0));
                packet(length, 20, from, capture.number(12), capture.number(16));
            }
            case SIMPLE_PACKET -> {
                checked(length, 4);
                capture.fill(4);
                Interface from = numbered(0);
                long onTheWire = capture.number(0);
                long most = from.snapshotBytes == 0 ? onTheWire : Math.min(onTheWire, from.snapshotBytes);
                packet(length, 4, from, Math.min(most, length - FRAME_BYTES - 4), onTheWire);
            }
            default -> {
                checked(length, 0);
                end(length, 8);
            }
        }
    }

    private void packet(long length, int fixed, Interface from, long captured, long onTheWire) throws IOException {
        if (captured > length - FRAME_BYTES - fixed) {
            throw capture.damaged("packet " + (capture.packets() + 1) + " is longer than its block");
        }
        capture.packet(Link.numbered(capture.name(), from.linkType), captured, onTheWire);
        end(length, 8 + fixed + captured);
    }

    private Interface numbered(long number) {
        if (number >= interfaces.size()) {
            throw capture.damaged("packet " + (capture.packets() + 1) + " came by interface " + number
                    + ", which the section does not describe");
        }
        return interfaces.get((int) number);
    }

    /** Skips what is left of a block after the bytes that were read, and checks the length at its end. */
    private void end(long length, long read) throws IOException {
        capture.skip(length - 4 - read);
        capture.fill(4);
        if (capture.number(0) != length) {
            throw capture.damaged(
                    "a block says " + length + " bytes at its start and " + capture.number(0) + " at its end");
        }
    }

    private long checked(long length, int body) {
        if (length < FRAME_BYTES + body || length % 4 != 0) {
            throw capture.damaged("a block cannot be " + length + " bytes long");
        }
        return length;
    }
}
