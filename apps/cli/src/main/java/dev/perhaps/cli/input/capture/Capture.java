package dev.perhaps.cli.input.capture;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.io.Figures;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads a packet capture, pcap or pcapng, as far as its addresses: a packet's first bytes are looked at, the rest is
 * skipped. A capture that is cut short or damaged is refused with the number of the packet. Confined to a thread.
 */
final class Capture {
    /*
     * A pcap file is a header of 24 bytes, whose magic number tells the byte order and the unit of its times, then a
     * record header of 16 bytes and the captured bytes for each packet. pcapng (PcapngReader) is a sequence of blocks.
     * Times are not read: no command needs them.
     *
     * Written from draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
     */
    static final int PCAPNG = 0x0A0D0D0A;

    private static final int MICROS = 0xA1B2C3D4;
    private static final int NANOS = 0xA1B23C4D;
    /** Beyond every snapshot length in use: what claims more is damaged. */
    private static final int MAX_PACKET_BYTES = 1 << 24;

    private final String name;
    private final InputStream in;
    private final Packet packet = new Packet();
    private final byte[] word = new byte[24];
    private final ByteBuffer words = ByteBuffer.wrap(word);
    private final Sink sink;
    private long packets;
    private long others;

    /** Takes one packet with IP addresses; the object is reused for the next. */
    @FunctionalInterface
    interface Sink {
        void take(Packet packet) throws IOException;
    }

    /** The capture ends in the middle of a packet or a block; what was handed on before is whole. */
    static final class CutShort extends RuntimeException {
        CutShort(String message) {
            super(message);
        }
    }

    Capture(String name, InputStream in, Sink sink) {
        this.name = name;
        this.in = in;
        this.sink = sink;
    }

    /** Returns true if a file that starts with these four bytes is a capture. */
    static boolean startsWith(byte[] magic) {
        int number = magic.length < 4 ? 0 : ByteBuffer.wrap(magic).getInt();
        return number == PCAPNG || orderOf(number) != null;
    }

    private static @Nullable ByteOrder orderOf(int magic) {
        if (magic == MICROS || magic == NANOS) {
            return ByteOrder.BIG_ENDIAN;
        }
        int turned = Integer.reverseBytes(magic);
        return turned == MICROS || turned == NANOS ? ByteOrder.LITTLE_ENDIAN : null;
    }

    /** Packets so far, all of them. */
    long packets() {
        return packets;
    }

    /** Returns the number of those that were not IP, or too short to tell. */
    long others() {
        return others;
    }

    void read() throws IOException {
        fill(4);
        int magic = words.order(ByteOrder.BIG_ENDIAN).getInt(0);
        if (magic == PCAPNG) {
            new PcapngReader(this).read();
            return;
        }
        ByteOrder order = orderOf(magic);
        if (order == null) {
            throw new BadInput(name + ": not a capture: neither pcap nor pcapng");
        }
        words.order(order);
        fill(20);
        // The type's upper bits tell of checksums behind each packet, which stand where nobody looks.
        Link link = Link.numbered(name, words.getInt(16) & 0xFFFF);
        while (fillOrEnd(16)) {
            packet(link, number(8), number(12));
        }
    }

    /** Reads one packet's captured bytes, and hands it on if it is one of IP. */
    void packet(Link link, long captured, long onTheWire) throws IOException {
        if (captured > MAX_PACKET_BYTES) {
            throw damaged("packet " + Figures.count(packets + 1) + " claims " + Figures.count(captured) + " bytes");
        }
        int head = (int) Math.min(captured, Packet.HEAD_BYTES);
        readFully(packet.head(), head);
        skip(captured - head);
        packets++;
        if (packet.parse(link, head, onTheWire)) {
            sink.take(packet);
        } else {
            others++;
        }
    }

    String name() {
        return name;
    }

    void order(ByteOrder order) {
        words.order(order);
    }

    /** The unsigned number at this place of what was last filled. */
    long number(int at) {
        return words.getInt(at) & 0xFFFF_FFFFL;
    }

    int shortNumber(int at) {
        return words.getShort(at) & 0xFFFF;
    }

    void fill(int count) throws IOException {
        readFully(word, count);
    }

    /** False if the capture ends here, between two packets, as it should. */
    boolean fillOrEnd(int count) throws IOException {
        int first = in.read();
        if (first < 0) {
            return false;
        }
        word[0] = (byte) first;
        int more = in.readNBytes(word, 1, count - 1);
        if (more < count - 1) {
            throw cutShort();
        }
        return true;
    }

    void skip(long count) throws IOException {
        try {
            in.skipNBytes(count);
        } catch (EOFException e) {
            throw cutShort();
        }
    }

    private void readFully(byte[] into, int count) throws IOException {
        if (in.readNBytes(into, 0, count) < count) {
            throw cutShort();
        }
    }

    private CutShort cutShort() {
        return new CutShort(name + ": the capture is cut short after packet " + Figures.count(packets));
    }

    BadInput damaged(String why) {
        return new BadInput(name + ": the capture is damaged: " + why);
    }
}
