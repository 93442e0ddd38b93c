package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.proxy.Timeouts;
import io.netty.handler.codec.http2.DefaultHttp2PingFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of HTTP/2 that are malformed, and clients that misuse it: the origin sees nothing of it, and others are served. */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of a frame is heard
class Http2HostileTest {
    private static final String PAGE = "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello";

    // Types and flags of frames (RFC 9113, 6).
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RESET = 3;
    private static final int SETTINGS = 4;
    private static final int GO_AWAY = 7;
    private static final int CONTINUATION = 9;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;

    private static final long MAX_HOSTILE_BYTES = 100_000_000;

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // before each
    private TlsFixture tls;

    @SuppressWarnings("NullAway.Init") // before each
    private Passage passage;

    @BeforeEach
    void start() throws Exception {
        tls = new TlsFixture(folder);
        passage = new Passage(
                RawOrigin.saying(PAGE),
                plan -> tls.in(plan.timeouts(Timeouts.usual().idleMillis(300_000))));
    }

    @AfterEach
    void stop() throws Exception {
        passage.close();
    }

    private RawHttp2Client client() throws Exception {
        return new RawHttp2Client(passage.proxy.address(), tls);
    }

    private void served(RawHttp2Client client) throws Exception {
        RawHttp2Client.Stream good = client.get("/good");
        passage.waitFor(() -> good.heard.contains("data 5"));
        assertThat(good.heard).contains("status 200");
    }

    @ParameterizedTest
    @CsvSource({
        "connection, close",
        "keep-alive, timeout=5",
        "proxy-connection, keep-alive",
        "transfer-encoding, chunked",
        "upgrade, websocket",
        "te, gzip",
        "Upper-Case, x",
        "host, elsewhere.example.org",
        ":path, /other",
        ":unknown, x",
        ":status, 200",
        "x, 'a\r\nX-Injected: b'",
        "x, 'a\nGET /other HTTP/1.1'",
        "x, 'a\0b'",
        "content-length, 7",
        "content-length, -1",
    })
    void aMalformedRequestIsReset(String name, String value) throws Exception {
        try (RawHttp2Client client = client()) {
            RawHttp2Client.Stream bad = client.get("/bad", name, value);
            passage.waitFor(() -> bad.heard.contains("closed"));
            assertThat(bad.heard).noneMatch(heard -> heard.equals("status 200"));
            assertThat(passage.origin.requests()).isEmpty();
            try (RawHttp2Client honest = client()) {
                served(honest);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ":method GET|:scheme https|:authority localhost",
                ":scheme https|:authority localhost|:path /bad",
                ":method GET|:scheme http|:authority localhost|:path /bad",
                ":method G ET|:scheme https|:authority localhost|:path /bad",
                ":method GET|:scheme https|:authority localhost|:path /bad HTTP/1.1",
                ":method GET|:scheme https|:authority local host|:path /bad",
                ":method GET|:scheme https|:path /bad",
                ":method CONNECT|:scheme https|:authority localhost|:path /bad",
                ":method CONNECT|:authority localhost",
            })
    void aMalformedFirstLineIsRefused(String fields) throws Exception {
        String[] all = Arrays.stream(fields.split("\\|", -1))
                .flatMap(field -> Arrays.stream(field.split(" ", 2)))
                .toArray(String[]::new);
        try (RawHttp2Client client = client()) {
            RawHttp2Client.Stream bad = client.new Stream(true, all);
            passage.waitFor(() -> bad.heard.contains("closed"));
            assertThat(bad.heard).noneMatch(heard -> heard.equals("status 200"));
            assertThat(passage.origin.requests()).isEmpty();
        }
    }

    @Test
    void aHeadThatIsTooLongIsRefused() throws Exception {
        try (RawHttp2Client client = client()) {
            RawHttp2Client.Stream bad = client.get("/bad", "x", "y".repeat(60_000));
            passage.waitFor(() -> !bad.heard.isEmpty());
            assertThat(bad.heard).noneMatch(heard -> heard.equals("status 200"));
            assertThat(passage.origin.requests()).isEmpty();
        }
    }

    @Test
    void streamsThatAreResetAtOnceEndTheConnection() throws Exception {
        passage.origin.script((request, out) -> {
            out.write(RawOrigin.wire(PAGE));
            return true;
        });
        try (RawHttp2Client hostile = client();
                RawHttp2Client honest = client()) {
            served(honest);
            int sent = 0;
            while (!hostile.connection.contains("closed") && sent < 10_000) {
                try {
                    hostile.get("/rapid/" + sent).channel.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL));
                } catch (Exception e) {
                    assertThat(sent).isGreaterThan(50); // it is going away
                    break;
                }
                sent++;
            }
            passage.waitFor(() -> hostile.connection.contains("closed"));
            assertThat(sent).isLessThan(10_000);
            served(honest);
        }
    }

    @Test
    void aClientThatPingsIsAnsweredAndOthersToo() throws Exception {
        try (RawHttp2Client pinging = client();
                RawHttp2Client honest = client()) {
            served(pinging);
            for (int i = 0; i < 20_000; i++) {
                pinging.channel.write(new DefaultHttp2PingFrame(i));
            }
            pinging.channel.flush();
            served(honest);
        }
    }

    /** A head that never ends, in frames of a byte and in full ones; SETTINGS whose replies are not read; empty frames. */
    @ParameterizedTest
    @CsvSource({
        CONTINUATION + ", 0",
        CONTINUATION + ", 1",
        CONTINUATION + ", 16384",
        SETTINGS + ", 0",
        DATA + ", 0",
    })
    void framesWithoutEndCloseTheConnection(int type, int payloadBytes) throws Exception {
        try (RawHttp2Client honest = client();
                SSLSocket hostile = tls.rawHttp2(passage.proxy.address())) {
            served(honest);
            ByteArrayOutputStream start = new ByteArrayOutputStream();
            start.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            start.write(frame(SETTINGS, 0, 0, new byte[0]));
            // POST https://localhost/ by the static table and one literal; for a head that goes on, without its end.
            byte[] head = HexFormat.of().parseHex("83878441096c6f63616c686f7374");
            start.write(frame(HEADERS, type == CONTINUATION ? 0 : END_HEADERS, 1, head));
            byte[] one = frame(type, 0, type == SETTINGS ? 0 : 1, new byte[payloadBytes]);
            ByteArrayOutputStream many = new ByteArrayOutputStream();
            for (int i = 0; i < Math.max(1, 65_536 / one.length); i++) {
                many.write(one);
            }
            assertThatThrownBy(() -> {
                        start.writeTo(hostile.getOutputStream());
                        for (long sent = 0; sent < MAX_HOSTILE_BYTES; sent += many.size()) {
                            many.writeTo(hostile.getOutputStream());
                        }
                    })
                    .isInstanceOf(IOException.class);
            served(honest);
            assertThat(passage.origin.requests())
                    .noneMatch(request -> request.line().startsWith("POST"));
        }
    }

    /** One field of 4,000 bytes, kept in the table, and named by a byte each, 10,000 times: 40 MB of fields. */
    @Test
    void aHeadThatUnpacksToVeryMuchIsRefused() throws Exception {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        head.write(HexFormat.of().parseHex("82878441096c6f63616c686f7374"));
        head.write(HexFormat.of().parseHex("400178" + "7fa11e")); // x: with a length of 127 + 3,873
        head.write("y".repeat(4_000).getBytes(StandardCharsets.US_ASCII));
        byte[] again = new byte[10_000];
        Arrays.fill(again, (byte) 0xbe);
        head.write(again);
        try (RawHttp2Client honest = client();
                SSLSocket hostile = tls.rawHttp2(passage.proxy.address())) {
            hostile.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            hostile.getOutputStream().write(frame(SETTINGS, 0, 0, new byte[0]));
            hostile.getOutputStream().write(frame(HEADERS, END_HEADERS | END_STREAM, 1, head.toByteArray()));
            hostile.getOutputStream().flush();
            DataInputStream in = new DataInputStream(hostile.getInputStream());
            int type;
            byte[] body;
            do {
                int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
                type = in.readUnsignedByte();
                in.readNBytes(5);
                body = in.readNBytes(length);
            } while (type != HEADERS && type != RESET && type != GO_AWAY);
            if (type == HEADERS) {
                assertThat(body[0]).as("431, not 200 of the static table").isNotEqualTo((byte) 0x88);
            }
            served(honest);
            assertThat(passage.origin.requests()).hasSize(1);
        }
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) (payload.length >> 16))
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    /** What waits for a client that opens no window is a window, not the page. */
    @Test
    void aStreamThatIsNotReadHoldsTheOriginBack() throws Exception {
        AtomicLong written = new AtomicLong();
        byte[] piece = new byte[64 << 10];
        passage.origin.script((request, out) -> {
            if (!request.line().contains("/big")) {
                out.write(RawOrigin.wire(PAGE));
                return true;
            }
            out.write(
                    RawOrigin.wire("HTTP/1.1 200 OK\nCache-Control: no-store\nContent-Length: " + (64 << 20) + "\n\n"));
            for (int i = 0; i < 1024; i++) {
                out.write(piece);
                written.addAndGet(piece.length);
            }
            return true;
        });
        try (RawHttp2Client slow = client();
                RawHttp2Client honest = client()) {
            RawHttp2Client.Stream big = slow.get("/big");
            big.channel.config().setAutoRead(false);
            passage.waitFor(() -> written.get() > 0);
            served(honest);
            long before;
            do {
                before = written.get();
                served(honest);
                Thread.sleep(50);
            } while (written.get() != before);
            assertThat(written.get()).isLessThan(32 << 20);
        }
    }

    @Test
    void aConnectionWithoutStreamsIsClosedWhenIdle() throws Exception {
        try (Passage quick = new Passage(
                        RawOrigin.saying(PAGE),
                        plan -> tls.in(
                                plan.timeouts(Timeouts.usual().idleMillis(50).headMillis(50))));
                RawHttp2Client client = new RawHttp2Client(quick.proxy.address(), tls)) {
            quick.waitFor(() -> client.connection.contains("closed"));
            assertThat(quick.clients()).isZero();
        }
    }
}
