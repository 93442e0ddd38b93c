package dev.perhaps.chord.net;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Writes the body of a frame, the highest byte of a number first. */
public final class BodyWriter {
    private static final int MOST_TEXT_BYTES = 0xFFFF;

    private byte[] bytes = new byte[128];
    private int size;

    /** An empty body. */
    public BodyWriter() {}

    private ByteBuffer room(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
        }
        ByteBuffer room = ByteBuffer.wrap(bytes, size, more);
        size += more;
        return room;
    }

    public BodyWriter u8(int value) {
        room(Byte.BYTES).put((byte) value);
        return this;
    }

    public BodyWriter u16(int value) {
        room(Short.BYTES).putShort((short) value);
        return this;
    }

    public BodyWriter i32(int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    public BodyWriter i64(long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    public BodyWriter flag(boolean value) {
        return u8(value ? 1 : 0);
    }

    public BodyWriter raw(byte[] value) {
        return raw(value, value.length);
    }

    public BodyWriter raw(byte[] value, int length) {
        room(length).put(value, 0, length);
        return this;
    }

    /** Text after its length in UTF-8; what is too long is cut. */
    public BodyWriter text(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(utf8.length, MOST_TEXT_BYTES);
        return u16(length).raw(utf8, length);
    }

    public BodyWriter id(Id id) {
        return raw(id.toBytes());
    }

    public BodyWriter member(Member member) {
        return id(member.id()).text(member.address());
    }

    public BodyWriter members(List<Member> members) {
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

    public Frame frame(int type) {
        return new Frame(type, bytes());
    }
}
