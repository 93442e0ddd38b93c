package dev.perhaps.proxy.http;

/** Takes a body out of the bytes of a connection, and knows where it ends (RFC 9112, sections 6 and 7). Confined to a thread. */
public final class BodyReader {
    /*
     * In chunks:   1a;name=value CRLF  26 bytes CRLF  …  0 CRLF  trailer fields CRLF  CRLF
     *
     * Blanks after a size come before an extension or the end of the line only: "1 2" is 1, 12 or 18 to different readers.
     * Extensions of a chunk are read over, trailer fields too: they mean nothing to a cache, and a recipient may drop them
     * (RFC 9110, section 6.5.1). Both have a limit. A line ends with CRLF here too, and a size is nothing but digits.
     */
    private static final int MAX_SIZE_DIGITS = 15;
    private static final int MAX_LINE_BYTES = 1_024;
    private static final int MAX_TRAILER_BYTES = 8_192;

    /** Gets pieces of the body, in order. */
    public interface Taker {
        void take(byte[] bytes, int from, int to);
    }

    private enum State {
        SIZE,
        SIZE_BLANK,
        EXTENSION,
        SIZE_LF,
        DATA,
        DATA_CR,
        DATA_LF,
        TRAILER_START,
        TRAILER,
        TRAILER_LF,
        LAST_LF,
        DONE
    }

    private final Framing framing;
    private State state;
    private long left;
    private int digits;
    private int lineBytes;

    public BodyReader(Framing framing) {
        this.framing = framing;
        left = framing.kind() == Framing.Kind.CHUNKED ? 0 : framing.lengthBytes();
        state = framing.kind() == Framing.Kind.CHUNKED ? State.SIZE : framing.isEmpty() ? State.DONE : State.DATA;
    }

    /** Returns true if the body is whole. One that ends with its connection never is. */
    public boolean done() {
        return state == State.DONE;
    }

    /** Reads on. Returns the place behind the last byte that belongs to the body. */
    public int read(byte[] bytes, int from, int to, Taker taker) throws BadMessage {
        if (framing.kind() == Framing.Kind.CLOSE) {
            taker.take(bytes, from, to);
            return to;
        }
        int at = from;
        while (at < to && state != State.DONE) {
            if (state == State.DATA) {
                int size = (int) Math.min(left, to - at);
                taker.take(bytes, at, at + size);
                at += size;
                left -= size;
                if (left == 0) {
                    state = framing.kind() == Framing.Kind.CHUNKED ? State.DATA_CR : State.DONE;
                }
            } else {
                step(bytes[at++]);
            }
        }
        return at;
    }

    private void step(byte b) throws BadMessage {
        switch (state) {
            case SIZE -> size(b);
            case SIZE_BLANK -> blank(b);
            case EXTENSION -> {
                count(b, MAX_LINE_BYTES);
                state = b == '\r' ? State.SIZE_LF : State.EXTENSION;
            }
            case SIZE_LF -> {
                expect(b, '\n');
                state = left == 0 ? State.TRAILER_START : State.DATA;
                lineBytes = 0;
                digits = 0;
            }
            case DATA_CR -> state = expect(b, '\r', State.DATA_LF);
            case DATA_LF -> state = expect(b, '\n', State.SIZE);
            case TRAILER_START -> state = b == '\r' ? State.LAST_LF : trailer(b);
            case TRAILER -> state = b == '\r' ? State.TRAILER_LF : trailer(b);
            case TRAILER_LF -> state = expect(b, '\n', State.TRAILER_START);
            case LAST_LF -> state = expect(b, '\n', State.DONE);
            default -> throw new IllegalStateException("no step leads on from " + state);
        }
    }

    private void size(byte b) throws BadMessage {
        int digit = Character.digit(b, 16);
        if (digit >= 0 && digits < MAX_SIZE_DIGITS) {
            left = 16 * left + digit;
            digits++;
        } else if (digits > 0 && b == '\r') {
            state = State.SIZE_LF;
        } else if (digits > 0 && b == ';') {
            state = State.EXTENSION;
        } else if (digits > 0 && (b == ' ' || b == '\t')) {
            state = State.SIZE_BLANK;
        } else {
            throw new BadMessage(400, "a chunk begins with its size in up to " + MAX_SIZE_DIGITS + " digits");
        }
    }

    private void blank(byte b) throws BadMessage {
        count(b, MAX_LINE_BYTES);
        switch (b) {
            case ' ', '\t' -> state = State.SIZE_BLANK;
            case ';' -> state = State.EXTENSION;
            case '\r' -> state = State.SIZE_LF;
            default -> throw new BadMessage(400, "a size of a chunk is followed by ';' or the end of the line");
        }
    }

    private State trailer(byte b) throws BadMessage {
        count(b, MAX_TRAILER_BYTES);
        return State.TRAILER;
    }

    private void count(byte b, int most) throws BadMessage {
        if (b == '\n' || b == 0) {
            throw new BadMessage(400, "a line of a body in chunks ends with CRLF");
        }
        if (++lineBytes > most) {
            throw new BadMessage(400, "a line of a body in chunks is too long");
        }
    }

    private static void expect(byte b, char c) throws BadMessage {
        if (b != c) {
            throw new BadMessage(400, "a chunk does not end where its size says");
        }
    }

    private static State expect(byte b, char c, State next) throws BadMessage {
        expect(b, c);
        return next;
    }
}
