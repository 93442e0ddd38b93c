package dev.perhaps.proxy.net;

import dev.perhaps.proxy.cache.Copy;
import dev.perhaps.proxy.http.ByteRange;
import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.http.RequestHead;
import dev.perhaps.proxy.http.ResponseHead;
import dev.perhaps.proxy.http.Validators;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The response to one request, written in one of its forms. Confined to the event loop of the client. */
final class Reply {
    private static final int MAX_AT_ONCE_BYTES = 64 << 10;
    private static final byte[] NOTHING = {};
    private static final List<String> OF_304 =
            List.of("Cache-Control", "Content-Location", "Date", "ETag", "Expires", "Last-Modified", "Vary", "Via");

    private final Engine engine;
    private final ClientConnection client;
    private final RequestHead head;
    private boolean close;

    Reply(Engine engine, ClientConnection client, RequestHead head) {
        this.engine = engine;
        this.client = client;
        this.head = head;
    }

    /** Responds with an error of this proxy. */
    void error(int status, String why, String cacheStatus) {
        close = client.closesAfter(head);
        client.send(
                client.responses().error(status, why, cacheStatus, head.method().equals("HEAD"), close), close);
    }

    /** Responds with a stored response: all of it, a part of it, or 304 if the client has it already. */
    void copy(Copy copy, String status, long now) {
        close = client.closesAfter(head);
        Headers request = head.headers();
        if (copy.status() == 200) {
            if (Validators.clientHas(request, copy.headers(), now)) {
                Headers aged = copy.headers()
                        .edit()
                        .add("Age", Long.toString(copy.freshness().ageSeconds(now)))
                        .build();
                notModified(aged, status);
                return;
            }
            String range = head.method().equals("GET") ? request.first("Range") : null;
            if (range != null && Validators.rangeApplies(request, copy.headers(), now)) {
                ByteRange part = ByteRange.of(range, copy.body().length);
                if (part != null) {
                    part(copy, part, status, now);
                    return;
                }
            }
        }
        byte[] body = head.method().equals("HEAD") ? NOTHING : copy.body();
        boolean atOnce =
                body.length <= (client.memoryIsScarce() ? ResponseWriter.SMALL_PIECE_BYTES : MAX_AT_ONCE_BYTES);
        byte[] written = copy.written();
        ByteBuf out = client.socket()
                .channel()
                .alloc()
                .directBuffer(written.length + engine.hitStatus.length + 96 + (atOnce ? body.length : 0));
        out.writeBytes(written);
        HeadWriter.field(out, HeadWriter.AGE, copy.freshness().ageSeconds(now));
        if (status.equals(engine.hit)) {
            out.writeBytes(engine.hitStatus);
        } else {
            out.writeCharSequence("Cache-Status: " + status + "\r\n", StandardCharsets.ISO_8859_1);
        }
        if (close) {
            out.writeBytes(HeadWriter.CLOSE);
        } else if (head.minorVersion() == 0) {
            out.writeBytes(HeadWriter.KEEP_ALIVE);
        }
        out.writeBytes(HeadWriter.CRLF);
        engine.plan.counters().sentToClient(body.length);
        if (atOnce) {
            client.send(out.writeBytes(body), close);
        } else {
            client.send(out, new CopySource(copy, 0, body.length, this::wake), false, close);
        }
    }

    private void part(Copy copy, ByteRange part, String status, long now) {
        int length = copy.body().length;
        Headers.Builder headers = new Headers.Builder();
        if (!part.satisfiable()) {
            headers.add("Content-Range", "bytes */" + length).add("Cache-Status", status);
            client.send(client.responses().response(416, headers.build(), NOTHING, true, close), close);
            return;
        }
        StringBuilder text = new StringBuilder("HTTP/1.1 206 Partial Content\r\n");
        HeadWriter.write(copy.headers(), text);
        HeadWriter.line(text, "Content-Range", "bytes " + part.from() + "-" + part.to() + "/" + length);
        HeadWriter.line(text, "Content-Length", Long.toString(part.sizeBytes()));
        HeadWriter.line(text, "Age", Long.toString(copy.freshness().ageSeconds(now)));
        HeadWriter.line(text, "Cache-Status", status);
        connection(text);
        ByteBuf bytes = Unpooled.copiedBuffer(text.append("\r\n"), StandardCharsets.ISO_8859_1);
        engine.plan.counters().sentToClient(part.sizeBytes());
        client.send(bytes, new CopySource(copy, (int) part.from(), (int) part.to() + 1, this::wake), false, close);
    }

    /** Says that the client has it already. */
    void notModified(Headers response, String status) {
        close = client.closesAfter(head);
        StringBuilder text = new StringBuilder("HTTP/1.1 304 Not Modified\r\n");
        for (String name : OF_304) {
            String value = response.joined(name);
            if (value != null) {
                HeadWriter.line(text, name, value);
            }
        }
        String age = response.first("Age");
        if (age != null) {
            HeadWriter.line(text, "Age", age);
        }
        HeadWriter.line(text, "Cache-Status", status);
        connection(text);
        client.send(Unpooled.copiedBuffer(text.append("\r\n"), StandardCharsets.ISO_8859_1), close);
    }

    /** Forwards a response as it arrives. */
    void forward(Participant.Response response, String status) {
        close = client.closesAfter(head);
        ResponseHead got = response.head();
        boolean bodiless = head.method().equals("HEAD") || got.status() == 204 || got.status() == 304;
        boolean measured = bodiless || response.lengthBytes() >= 0;
        boolean chunked = !measured && head.minorVersion() == 1;
        close |= !measured && !chunked;
        StringBuilder text = new StringBuilder(512);
        text.append("HTTP/1.1 ")
                .append(got.status())
                .append(' ')
                .append(got.reason())
                .append("\r\n");
        HeadWriter.write(HeadWriter.stored(got.headers(), got.minorVersion(), engine.plan.name(), engine.now()), text);
        String age = got.headers().first("Age");
        if (age != null) {
            HeadWriter.line(text, "Age", age);
        }
        String length = got.headers().first("Content-Length");
        if (head.method().equals("HEAD") && length != null) {
            HeadWriter.line(text, "Content-Length", length);
        } else if (!bodiless && measured) {
            HeadWriter.line(text, "Content-Length", Long.toString(response.lengthBytes()));
        } else if (chunked) {
            HeadWriter.line(text, "Transfer-Encoding", "chunked");
        }
        HeadWriter.line(text, "Cache-Status", status);
        connection(text);
        ByteBuf bytes = Unpooled.copiedBuffer(text.append("\r\n"), StandardCharsets.ISO_8859_1);
        Source source = response.flow().read(this::wake);
        client.send(bytes, new Metered(source), chunked, close);
    }

    private void wake() {
        client.socket().loop().execute(client::pump);
    }

    private void connection(StringBuilder text) {
        if (close) {
            HeadWriter.line(text, "Connection", "close");
        } else if (head.minorVersion() == 0) {
            HeadWriter.line(text, "Connection", "keep-alive");
        }
    }

    /** Counts what is sent. */
    private final class Metered implements Source {
        private final Source source;

        Metered(Source source) {
            this.source = source;
        }

        @Override
        public @Nullable ByteBuf next(int maxBytes) {
            ByteBuf piece = source.next(maxBytes);
            if (piece != null) {
                engine.plan.counters().sentToClient(piece.readableBytes());
            }
            return piece;
        }

        @Override
        public boolean finished() {
            return source.finished();
        }

        @Override
        public boolean failed() {
            boolean failed = source.failed();
            if (failed) {
                engine.plan.counters().brokeOff();
            }
            return failed;
        }

        @Override
        public boolean lost() {
            return source.lost();
        }

        @Override
        public void close() {
            source.close();
        }
    }
}
