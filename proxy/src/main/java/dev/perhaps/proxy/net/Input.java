package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.http.BadMessage;
import dev.perhaps.proxy.http.BodyReader;
import dev.perhaps.proxy.http.HeadReader;
import dev.perhaps.proxy.http.RequestHead;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What a client has sent and nobody has looked at yet. Confined to an event loop. */
final class Input {
    /** With so much of it, no more is read. */
    private static final int MOST_BYTES = 64 << 10;

    private static final int FIRST_BYTES = 1_024;
    private static final byte[] NOTHING = {};

    private final Limits limits;
    private final HeadReader reader;
    private byte[] bytes = NOTHING;
    private int start;
    private int end;
    private int searched;
    private boolean blank;

    Input(Limits limits) {
        this.limits = limits;
        this.reader = new HeadReader(limits.headers());
    }

    boolean isEmpty() {
        return start == end;
    }

    boolean isFull() {
        return end - start > MOST_BYTES;
    }

    void add(ByteBuf buffer) {
        int size = buffer.readableBytes();
        if (bytes.length - end < size) {
            int kept = end - start;
            byte[] target = bytes.length >= kept + size ? bytes : new byte[Math.max(FIRST_BYTES, 2 * (kept + size))];
            System.arraycopy(bytes, start, target, 0, kept);
            bytes = target;
            searched -= start;
            start = 0;
            end = kept;
        }
        buffer.readBytes(bytes, end, size);
        end += size;
    }

    /** Takes what is left for nothing. */
    void clear() {
        start = 0;
        end = 0;
        searched = 0;
    }

    /** Gives back the room that a large request took. */
    void shrink() {
        if (isEmpty()) {
            clear();
            if (bytes.length > MOST_BYTES) {
                bytes = NOTHING;
            }
        }
    }

    /** The next head; null if it is not whole yet. */
    @Nullable
    RequestHead head() throws BadMessage {
        if (!blank && end - start >= 2 && bytes[start] == '\r' && bytes[start + 1] == '\n') {
            blank = true; // an empty line before a request is read over (RFC 9112, section 2.2)
            start += 2;
        }
        int after = Heads.end(bytes, Math.max(start, searched - 3), end);
        if (after < 0) {
            searched = end;
            checkLength(end);
            return null;
        }
        checkLength(after);
        byte[] head = start == 0 ? bytes : Arrays.copyOfRange(bytes, start, after);
        int length = after - start;
        start = after;
        searched = after;
        blank = false;
        return reader.request(head, length);
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
