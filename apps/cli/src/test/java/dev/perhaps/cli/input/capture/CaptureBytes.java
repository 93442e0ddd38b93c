package dev.perhaps.cli.input.capture;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Builds packets and captures, byte by byte, for tests. */
public final class CaptureBytes {
    public static final int MICROS = 0xA1B2C3D4;
    public static final int NANOS = 0xA1B23C4D;

    private final ByteOrder order;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private CaptureBytes(ByteOrder order) {
        this.order = order;
    }

    public static CaptureBytes pcap(ByteOrder order, int magic, int linkType) {
        CaptureBytes capture = new CaptureBytes(order);
        return capture.put(ByteBuffer.allocate(24)
                .order(order)
                .putInt(magic)
                .putShort((short) 2)
                .putShort((short) 4)
                .putLong(0)
                .putInt(65_535)
                .putInt(linkType));
    }

    public static CaptureBytes pcapng(ByteOrder order) {
        return new CaptureBytes(order).section();
    }

    /** A record of pcap. */
    public CaptureBytes record(byte[] packet, int wireBytes) {
        put(ByteBuffer.allocate(16)
                .order(order)
                .putLong(0)
                .putInt(packet.length)
                .putInt(wireBytes));
        bytes.writeBytes(packet);
        return this;
    }

    /** Another section, in the other byte order. */
    public CaptureBytes turnedSection() {
        boolean big = order == ByteOrder.BIG_ENDIAN;
        CaptureBytes turned = new CaptureBytes(big ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        turned.bytes.writeBytes(bytes());
        return turned.section();
    }

    private CaptureBytes section() {
        return block(
                0x0A0D0D0A,
                ByteBuffer.allocate(16)
                        .order(order)
                        .putInt(0x1A2B3C4D)
                        .putShort((short) 1)
                        .putShort((short) 0)
                        .putLong(-1));
    }

    public CaptureBytes anInterface(int linkType, int snapshotBytes) {
        return block(
                1,
                ByteBuffer.allocate(12)
                        .order(order)
                        .putShort((short) linkType)
                        .putShort((short) 0)
                        .putInt(snapshotBytes)
                        .putInt(0));
    }

    public CaptureBytes enhanced(int onInterface, byte[] packet, int wireBytes) {
        ByteBuffer body = ByteBuffer.allocate(20 + padded(packet.length)).order(order);
        body.putInt(onInterface)
                .putLong(0)
                .putInt(packet.length)
                .putInt(wireBytes)
                .put(packet);
        return block(6, body);
    }

    public CaptureBytes old(int onInterface, byte[] packet, int wireBytes) {
        ByteBuffer body = ByteBuffer.allocate(20 + padded(packet.length)).order(order);
        body.putShort((short) onInterface).putShort((short) 0).putLong(0);
        return block(2, body.putInt(packet.length).putInt(wireBytes).put(packet));
    }

    public CaptureBytes simple(byte[] packet, int wireBytes) {
        return block(
                3,
                ByteBuffer.allocate(4 + padded(packet.length))
                        .order(order)
                        .putInt(wireBytes)
                        .put(packet));
    }

    public CaptureBytes block(int type, ByteBuffer body) {
        int length = 12 + body.capacity();
        put(ByteBuffer.allocate(8).order(order).putInt(type).putInt(length));
        put(body);
        return put(ByteBuffer.allocate(4).order(order).putInt(length));
    }

    private static int padded(int length) {
        return (length + 3) / 4 * 4;
    }

    private CaptureBytes put(ByteBuffer buffer) {
        byte[] written = new byte[buffer.capacity()];
        buffer.get(0, written);
        bytes.writeBytes(written);
        return this;
    }

    public byte[] bytes() {
        return bytes.toByteArray();
    }

    /** The header of an IP packet between these, with these bytes before it, given in hexadecimal. */
    public static byte[] packet(String before, String source, String destination) {
        try {
            byte[] from = InetAddress.getByName(source).getAddress();
            byte[] to = InetAddress.getByName(destination).getAddress();
            String ip = from.length == 4 ? "45" + "00".repeat(11) : "60" + "00".repeat(7);
            ByteArrayOutputStream packet = new ByteArrayOutputStream();
            packet.writeBytes(java.util.HexFormat.of().parseHex((before + ip).replace(" ", "")));
            packet.writeBytes(from);
            packet.writeBytes(to);
            return packet.toByteArray();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
