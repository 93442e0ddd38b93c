package dev.perhaps.chord.net;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads the body of a frame. Whatever does not fit is a {@link BadFrame}, found before anything is allocated for it. */
public final class BodyReader {
    private static final int ID_BYTES = Id.BITS / Byte.SIZE;
    private static final int LEAST_MEMBER_BYTES = ID_BYTES + Short.BYTES;

    private final ByteBuffer bytes;

    /** Reads these bytes from their beginning. */
    public BodyReader(byte[] body) {
        this.bytes = ByteBuffer.wrap(body);
    }

    private ByteBuffer need(int count) throws BadFrame {
        if (count > bytes.remaining()) {
            throw new BadFrame("a frame ends " + (count - bytes.remaining()) + " bytes too early");
        }
        return bytes;
    }

    public int u8() throws BadFrame {
        return Byte.toUnsignedInt(need(Byte.BYTES).get());
    }

    public int u16() throws BadFrame {
        return Short.toUnsignedInt(need(Short.BYTES).getShort());
    }

    public int i32() throws BadFrame {
        return need(Integer.BYTES).getInt();
    }

    public long i64() throws BadFrame {
        return need(Long.BYTES).getLong();
    }

    public boolean flag() throws BadFrame {
        int value = u8();
        if (value > 1) {
            throw new BadFrame("a flag is 0 or 1, got " + value);
        }
        return value == 1;
    }

    public byte[] raw(int length) throws BadFrame {
        byte[] value = new byte[Math.min(length, need(length).remaining())];
        bytes.get(value);
        return value;
    }

    public String text() throws BadFrame {
        return new String(raw(u16()), StandardCharsets.UTF_8);
    }

    public Id id() throws BadFrame {
        return Id.of(raw(ID_BYTES));
    }

    public Member member() throws BadFrame {
        return new Member(id(), text());
    }

    /** At most so many. */
    public List<Member> members(int most) throws BadFrame {
        int size = u16();
        if (size > most) {
            throw new BadFrame("a list has at most " + most + " members, got " + size);
        }
        need(size * LEAST_MEMBER_BYTES);
        List<Member> members = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            members.add(member());
        }
        return List.copyOf(members);
    }

    /** What has not been read yet. */
    public byte[] rest() throws BadFrame {
        return raw(bytes.remaining());
    }

    public void end() throws BadFrame {
        if (bytes.hasRemaining()) {
            throw new BadFrame("a frame goes on for " + bytes.remaining() + " bytes after its end");
        }
    }
}
