package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.http.BadMessage;
import dev.perhaps.proxy.http.BodyReader;
import dev.perhaps.proxy.http.HeadReader;
import dev.perhaps.proxy.http.RequestHead;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The bytes that a client has sent and that were not parsed yet. Confined to an event loop. */
final class Input {
    private static final int FIRST_BYTES = 1_024;

    /** An array up to this size is kept for the next request. */
    private static final int SMALL_BYTES = 4 << 10;

    private static final byte[] NOTHING = {};

    private final Limits limits;
    private final HeadReader reader;
    private byte[] bytes = NOTHING;
    private int start;
    private int end;
    private int searched;
    private boolean blank;
    private int headBytes;

    Input(Limits limits) {
        this.limits = limits;
        this.reader = new HeadReader(limits.headers());
    }

    boolean isEmpty() {
        return start == end;
    }

    /** Returns its size in memory. */
    int capacityBytes() {
        return bytes.length;
    }

    void add(ByteBuf buffer) {
        int size = buffer.readableBytes();
        if (bytes.length - end < size) {
            int kept = end - start;
            move(bytes.length >= kept + size ? bytes : new byte[capacityFor(kept + size)]);
        }
        buffer.readBytes(bytes, end, size);
        end += size;
    }

    private void move(byte[] target) {
        int kept = end - start;
        System.arraycopy(bytes, start, target, 0, kept);
        bytes = target;
        searched = Math.max(0, searched - start);
        start = 0;
        end = kept;
    }

    /** Returns a power of two, so that a header that arrives byte by byte is not copied for each byte. */
    private static int capacityFor(int size) {
        return Math.max(FIRST_BYTES, Integer.highestOneBit(Math.max(1, size - 1)) << 1);
    }

    /** Takes what is left for nothing. */
    void clear() {
        start = 0;
        end = 0;
        searched = 0;
        bytes = NOTHING;
    }

    /** Gives back the room that a large request took. */
    void shrink() {
        if (isEmpty()) {
            start = 0;
            end = 0;
            searched = 0;
            if (bytes.length > SMALL_BYTES) {
                bytes = NOTHING;
            }
        } else if (bytes.length > SMALL_BYTES && end - start <= bytes.length / 4) {
            move(new byte[capacityFor(end - start)]);
        }
    }

    /** The next head; null if it is not whole yet. */
    @Nullable
    RequestHead head() throws BadMessage {
        if (!blank && end - start >= 2 && bytes[start] == '\r' && bytes[start + 1] == '\n') {
            blank = true; // an empty line before a request is read over (RFC 9112, section 2.2)
            start += 2;
        }
        int after = HeadEnd.find(bytes, start, Math.max(start, searched), end);
        if (after == HeadEnd.BAD) {
            throw new BadMessage(400, "bare CR or LF in the header: lines end with CRLF");
        }
        if (after == HeadEnd.UNFINISHED) {
            searched = HeadEnd.searched(bytes, start, end);
            checkLength(end);
            return null;
        }
        checkLength(after);
        byte[] head = start == 0 ? bytes : Arrays.copyOfRange(bytes, start, after);
        int length = after - start;
        headBytes = length;
        start = after;
        searched = after;
        blank = false;
        return reader.request(head, length);
    }

    /** The size of the last head. */
    int headBytes() {
        return headBytes;
    }

    private void checkLength(int to) throws BadMessage {
        if (to - start <= limits.requestLineBytes()) {
            return;
        }
        int line = start;
        while (line < to && bytes[line] != '\n') {
            line++;
        }
        if (line - start > limits.requestLineBytes()) {
            throw new BadMessage(
                    414, "the first line of a request has at most " + limits.requestLineBytes() + " bytes");
        }
        if (to - line > limits.headBytes()) {
            throw new BadMessage(431, "the head of a request has at most " + limits.headBytes() + " bytes");
        }
    }

    /** Lets a body take what belongs to it. */
    void feed(BodyReader body, BodyReader.Taker taker) throws BadMessage {
        start = body.read(bytes, start, end, taker);
        searched = start;
    }
}
