package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.proxy.Limits;
import dev.perhaps.web.Sockets;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies that are too big to keep go through, at the pace of their reader, in a little memory. */
@Timeout(120)
class BigBodiesTest {
    private static final int SIZE = 100 << 20;
    private static final Limits LIMITS = Limits.ofCache(8 << 20);

    /** A piece of a body that depends on where it stands. */
    private static byte[] piece(int at) {
        byte[] piece = new byte[1 << 16];
        for (int i = 0; i < piece.length; i++) {
            piece[i] = (byte) ((at + i) * 31 >>> 8);
        }
        return piece;
    }

    private static void write(OutputStream out, boolean chunked, AtomicLong written) throws IOException {
        out.write(RawOrigin.wire("HTTP/1.1 200 OK\nCache-Control: max-age=60\n"
                + (chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + SIZE) + "\n\n"));
        for (int at = 0; at < SIZE; at += 1 << 16) {
            out.write(chunked ? HeadWriter.chunk(piece(at)) : piece(at));
            written.addAndGet(1 << 16);
        }
        if (chunked) {
            out.write(HeadWriter.LAST_CHUNK);
        }
    }

    private static void pass(boolean chunked) throws Exception {
        AtomicLong written = new AtomicLong();
        try (Passage passage = new Passage(
                        new RawOrigin((request, out) -> {
                            write(out, chunked, written);
                            return true;
                        }),
                        plan -> plan.limits(LIMITS));
                RawClient client = passage.client()) {
            client.request("GET", "/big").head();
            Thread.sleep(500);
            // Nobody reads: what is on the way is a window, the buffers of four sockets, and what could have been kept.
            assertThat(written.get()).isLessThan(SIZE / 2);
            long sum = 0;
            for (int at = 0; at < SIZE; at += 1 << 16) {
                byte[] expected = piece(at);
                byte[] got = chunked ? client.chunk(expected.length) : client.exactly(expected.length);
                sum += java.util.Arrays.equals(expected, got) ? 1 : 0;
            }
            assertThat(sum).isEqualTo(SIZE >> 16);
            assertThat(passage.proxy.store().pages()).isZero();
            assertThat(passage.counters.text()).contains("perhaps_proxy_incoming_bytes 0\n");
        }
    }

    @Test
    void bodiesOfAKnownLengthWaitForTheirReader() throws Exception {
        pass(false);
    }

    /** As on machines for which there is no library of Linux's sockets. */
    @Test
    void javasSocketsDoTheSame() throws Exception {
        System.setProperty("perhaps.nio", "true");
        try {
            assertThat(Sockets.best().clients()).isEqualTo(NioSocketChannel.class);
            pass(true);
        } finally {
            System.clearProperty("perhaps.nio");
        }
    }

    @Test
    void bodiesInChunksWaitForTheirReader() throws Exception {
        pass(true);
    }

    @Test
    void bodiesOfRequestsPass() throws Exception {
        byte[] body = new byte[20 << 20];
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    out.write(RawOrigin.wire("HTTP/1.1 200 OK\nContent-Length: 8\n\n"
                            + request.body().length()));
                    return true;
                }));
                RawClient client = passage.client()) {
            client.request("PUT", "/big", "Content-Length: " + body.length);
            client.socket().getOutputStream().write(body);
            assertThat(client.response().body()).isEqualTo("20971520");
        }
    }
}
