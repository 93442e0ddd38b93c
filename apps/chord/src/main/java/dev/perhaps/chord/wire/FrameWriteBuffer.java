package dev.perhaps.chord.wire;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Writes the body of a frame, the highest byte of a number first. */
public final class FrameWriteBuffer {
    private static final int MAX_TEXT_BYTES = 0xFFFF;

    private byte[] bytes = new byte[128];
    private int size;

    /** An empty body. */
    public FrameWriteBuffer() {}

    private ByteBuffer room(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
        }
        ByteBuffer room = ByteBuffer.wrap(bytes, size, more);
        size += more;
        return room;
    }

    public FrameWriteBuffer u8(int value) {
        room(Byte.BYTES).put((byte) value);
        return this;
    }

    public FrameWriteBuffer u16(int value) {
        room(Short.BYTES).putShort((short) value);
        return this;
    }

    public FrameWriteBuffer i32(int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    public FrameWriteBuffer i64(long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    public FrameWriteBuffer flag(boolean value) {
        return u8(value ? 1 : 0);
    }

    public FrameWriteBuffer raw(byte[] value) {
        return raw(value, value.length);
    }

    public FrameWriteBuffer raw(byte[] value, int length) {
        room(length).put(value, 0, length);
        return this;
    }

    /** Text after its length in UTF-8; what is too long is cut. */
    public FrameWriteBuffer text(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(utf8.length, MAX_TEXT_BYTES);
        return u16(length).raw(utf8, length);
    }

    public FrameWriteBuffer id(Id id) {
        return raw(id.toBytes());
    }

    public FrameWriteBuffer member(Member member) {
        return id(member.id()).text(member.address());
    }

    public FrameWriteBuffer members(List<Member> members) {
        u16(members.size());
        members.forEach(this::member);
        return this;
    }

    /** How many bytes were written so far. */
    public int size() {
        return size;
    }

    /** What was written so far. */
    public byte[] bytes() {
        return Arrays.copyOf(bytes, size);
    }

    public WireFrame frame(int type) {
        return new WireFrame(type, bytes());
    }
}
