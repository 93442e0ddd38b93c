package dev.perhaps.proxy.net;

import dev.perhaps.proxy.http.RequestHead;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the access log says of one request after the other of a connection. Confined to the connection's event loop. */
final class ResponseNote {
    private final boolean wanted;
    private final Consumer<Service.Sent> log;
    private @Nullable RequestHead asked;
    private long askedNanos;
    private int status;
    private long bodyBytes;
    private String from = "-";

    /**
     * Of nothing yet.
     *
     * @param wanted false: nothing is logged
     */
    ResponseNote(boolean wanted, Consumer<Service.Sent> log) {
        this.wanted = wanted;
        this.log = log;
    }

    /** Records a request. */
    void asks(RequestHead head) {
        if (wanted) {
            asked = head;
            from = "-";
            askedNanos = System.nanoTime();
        }
    }

    /** Sets the source of the response. */
    void comesFrom(String place) {
        from = place;
    }

    /** A response is sent that begins with these bytes: its head, and perhaps what follows it. */
    void begins(ByteBuf bytes) {
        if (!wanted) {
            return;
        }
        int start = bytes.readerIndex();
        status = Integer.parseInt(bytes.toString(start + 9, 3, StandardCharsets.US_ASCII));
        int line = start;
        for (int end = bytes.indexOf(line, bytes.writerIndex(), (byte) '\n');
                end - line > 1;
                end = bytes.indexOf(line, bytes.writerIndex(), (byte) '\n')) {
            line = end + 1;
        }
        bodyBytes = (long) bytes.writerIndex() - line - 2;
    }

    /** More of the body is sent. */
    void adds(int bytes) {
        bodyBytes += bytes;
    }

    /** Logs the response, if one was begun: it is sent, or as much of it as there was. */
    void ends() {
        if (status != 0) {
            long micros = asked == null ? 0 : TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - askedNanos);
            log.accept(new Service.Sent(asked, status, bodyBytes, from, micros));
            status = 0;
        }
        asked = null;
    }
}
