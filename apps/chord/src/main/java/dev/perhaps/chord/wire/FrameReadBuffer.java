package dev.perhaps.chord.wire;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.web.SafeText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the body of a frame. Whatever does not fit is a {@link BadFrame}, found before anything is allocated for it. Values
 * are checked here and nowhere else: no other class sees an invalid address, or a number near overflow.
 */
public final class FrameReadBuffer {
    /** The limit of generations and other counts of events: more than ever occur, and there is room above it. */
    public static final long MAX_COUNT = 1L << 62;

    /** The largest size of a file: one PiB. */
    public static final long MAX_FILE_BYTES = 1L << 50;

    /** The largest size of a name. */
    public static final int MAX_NAME_BYTES = 1_000;

    private static final int MAX_WORD_LETTERS = 40;
    private static final int ID_BYTES = Id.BITS / Byte.SIZE;
    private static final int MIN_MEMBER_BYTES = ID_BYTES + Short.BYTES;

    private final ByteBuffer bytes;

    /** Reads these bytes from their beginning. */
    public FrameReadBuffer(byte[] body) {
        this.bytes = ByteBuffer.wrap(body);
    }

    private ByteBuffer need(int count) throws BadFrame {
        if (count > bytes.remaining()) {
            throw new BadFrame("a frame is " + (count - bytes.remaining()) + " bytes too short");
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

    /** Text of at most the given number of bytes. */
    public String text(int mostBytes) throws BadFrame {
        int length = u16();
        if (length > mostBytes) {
            throw new BadFrame("a text has at most " + mostBytes + " bytes here, got " + length);
        }
        return new String(raw(length), StandardCharsets.UTF_8);
    }

    /** A sentence for people: what a terminal would obey is escaped. */
    public String sentence() throws BadFrame {
        return SafeText.of(text(WireFrame.MAX_BYTES));
    }

    /** Letters only, or nothing. */
    public String word() throws BadFrame {
        String word = text(MAX_WORD_LETTERS);
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z')) {
                throw new BadFrame("a word has letters only, got '" + SafeText.of(word) + "'");
            }
        }
        return word;
    }

    /** Where a peer is reached. */
    public String address() throws BadFrame {
        String address = addressOrNone();
        if (address.isEmpty()) {
            throw new BadFrame("an address is missing");
        }
        return address;
    }

    /** Returns the address of a peer; empty if there is none. */
    String addressOrNone() throws BadFrame {
        String address = text(HostPort.MAX_LETTERS);
        if (!address.isEmpty() && !HostPort.isAddress(address)) {
            throw new BadFrame("an address is HOST:PORT, got '" + SafeText.of(address) + "'");
        }
        return address;
    }

    /** The name of a file. */
    public String name() throws BadFrame {
        String name = text(MAX_NAME_BYTES);
        if (name.isEmpty()) {
            throw new BadFrame("a name is missing");
        }
        return name;
    }

    /** A number from 0 to {@link #MAX_COUNT}. */
    public long count() throws BadFrame {
        return within(0, MAX_COUNT, i64());
    }

    /** A generation of an entry. */
    public long generation() throws BadFrame {
        return within(1, MAX_COUNT, i64());
    }

    /** The size of a file. */
    public long fileBytes() throws BadFrame {
        return within(0, MAX_FILE_BYTES, i64());
    }

    /** A number of things that follow, or of kinds that there are. */
    public int atMost(int most, int value) throws BadFrame {
        return (int) within(0, most, value);
    }

    private static long within(long least, long most, long value) throws BadFrame {
        if (value < least || value > most) {
            throw new BadFrame("expected a number from " + least + " to " + most + ", got " + value);
        }
        return value;
    }

    public Id id() throws BadFrame {
        return Id.of(raw(ID_BYTES));
    }

    public Member member() throws BadFrame {
        return new Member(id(), addressOrNone());
    }

    /** At most this number. */
    public List<Member> members(int most) throws BadFrame {
        int size = u16();
        if (size > most) {
            throw new BadFrame("a list has at most " + most + " members, got " + size);
        }
        need(size * MIN_MEMBER_BYTES);
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
            throw new BadFrame("a frame is " + bytes.remaining() + " bytes too long");
        }
    }
}
