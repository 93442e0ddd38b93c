package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Timeouts;
import dev.perhaps.web.OutOfMemoryGuard;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One stream of HTTP/2, translated: its request into a message of HTTP/1.1 for the {@link ClientConnection} behind it, and the
 * response of that into frames. Confined to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the stream, and that is seen
final class Http2Stream extends ChannelDuplexHandler {
    /*
     * Why a translation: all rules of requests, responses, limits and timeouts are then in one place, whatever the client speaks,
     * and nothing in the engine knows of streams. What it costs is to write and read the head of each response once more.
     *
     *     HEADERS :method GET, :path /a, :authority h, …      GET /a HTTP/1.1, Host: h, Connection: close, …
     *     DATA …, with END_STREAM at the end                  the body: of a Content-Length if one was given, else in chunks
     *     HEADERS after DATA (trailers)                       dropped, as those of HTTP/1.1
     *     HEADERS :status 200, …                              HTTP/1.1 200 OK, …
     *     RST_STREAM INTERNAL_ERROR                           the connection is reset in the middle of a response
     *
     * A translation must not let one request become two. Names and values with a line break or a NUL are refused, the strict
     * reader looks at the head once more, the body's chunks are ours, and a length that is not the body's is refused by the
     * codec. Fields of a connection (Connection, Transfer-Encoding, Upgrade, …) are malformed in HTTP/2: the codec resets the
     * stream.
     */
    private static final Set<String> OF_THE_CONNECTION =
            Set.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade");
    private static final String LINE = "\r\n";
    private static final String END_OF_HEAD = LINE + LINE;

    private enum ResponseState {
        HEAD,
        LENGTH,
        CHUNK_SIZE,
        CHUNK,
        CHUNK_END,
        DONE
    }

    private final Timeouts timeouts;

    private String method = "";
    private boolean begun;
    private boolean chunked;
    private boolean requestEnded;

    private ResponseState response = ResponseState.HEAD;
    private final StringBuilder partial = new StringBuilder();
    private long left;
    private @Nullable ChannelFuture lastWrite;
    private boolean closing;
    private long unsentBytes;

    Http2Stream(Timeouts timeouts) {
        this.timeouts = timeouts;
    }

    /** What of the response's body waits for the client to take it. */
    long unsentBytes() {
        return unsentBytes;
    }

    // The request

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof Http2HeadersFrame headers) {
            if (!begun) {
                begin(ctx, headers);
            } else if (headers.isEndStream()) {
                endRequest(ctx);
            }
        } else if (message instanceof Http2DataFrame data) {
            boolean end = data.isEndStream();
            body(ctx, data);
            if (end) {
                endRequest(ctx);
            }
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    private void begin(ChannelHandlerContext ctx, Http2HeadersFrame frame) {
        begun = true;
        String head = head(frame.headers(), frame.isEndStream());
        if (head == null) {
            reset(ctx, Http2Error.PROTOCOL_ERROR);
            return;
        }
        ctx.fireChannelRead(Unpooled.copiedBuffer(head, StandardCharsets.ISO_8859_1));
        if (frame.isEndStream()) {
            requestEnded = true;
        }
    }

    /** The head as HTTP/1.1 writes it; null if it is malformed. */
    private @Nullable String head(Http2Headers headers, boolean whole) {
        String authority = text(headers.authority());
        String path = text(headers.path());
        method = text(headers.method());
        boolean connect = method.equals("CONNECT");
        if (!isWord(method)
                || !connect && (!isWord(path) || !text(headers.scheme()).equals("https"))
                || headers.getAll(Http2Headers.PseudoHeaderName.AUTHORITY.value())
                                .size()
                        > 1) {
            return null;
        }
        StringBuilder text = new StringBuilder(512);
        text.append(method).append(' ').append(connect ? "/" : path).append(" HTTP/1.1\r\n");
        if (!authority.isEmpty()) {
            HeadWriter.line(text, "Host", authority);
        }
        StringBuilder cookies = new StringBuilder();
        boolean measured = false;
        for (Map.Entry<CharSequence, CharSequence> field : headers) {
            String name = field.getKey().toString();
            String value = field.getValue().toString();
            if (name.isEmpty() || breaks(name) || breaks(value)) {
                return null;
            }
            if (name.charAt(0) == ':') {
                continue;
            }
            if (name.equals("host") && !authority.isEmpty()) {
                if (!value.equalsIgnoreCase(authority)) {
                    return null; // RFC 9113, section 8.3.1
                }
            } else if (name.equals("cookie")) {
                cookies.append(cookies.length() == 0 ? "" : "; ").append(value); // section 8.2.3
            } else if (!name.equals("te") && !OF_THE_CONNECTION.contains(name)) {
                measured |= name.equals("content-length");
                HeadWriter.line(text, name, value);
            }
        }
        if (cookies.length() > 0) {
            HeadWriter.line(text, "cookie", cookies.toString());
        }
        chunked = !whole && !measured;
        if (chunked) {
            HeadWriter.line(text, "Transfer-Encoding", "chunked");
        }
        HeadWriter.line(text, "Connection", "close"); // nothing follows on this stream
        return text.append("\r\n").toString();
    }

    private static String text(@Nullable CharSequence value) {
        return value == null ? "" : value.toString();
    }

    /** Returns true if this text can be part of the first line of a request. */
    private static boolean isWord(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c > ' ' && c < 127);
    }

    /** Returns true if it would end a line, or has letters that one byte cannot hold. */
    private static boolean breaks(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\r' || c == '\n' || c == 0 || c > 255) {
                return true;
            }
        }
        return false;
    }

    private void body(ChannelHandlerContext ctx, Http2DataFrame data) {
        ByteBuf content = data.content();
        if (response == ResponseState.DONE || !content.isReadable()) {
            content.release();
        } else if (chunked) {
            String size = Integer.toHexString(content.readableBytes()) + "\r\n";
            ctx.fireChannelRead(Unpooled.copiedBuffer(size, StandardCharsets.US_ASCII));
            ctx.fireChannelRead(content);
            ctx.fireChannelRead(Unpooled.wrappedBuffer(HeadWriter.CRLF));
        } else {
            ctx.fireChannelRead(content);
        }
    }

    private void endRequest(ChannelHandlerContext ctx) {
        requestEnded = true;
        if (chunked && response != ResponseState.DONE) {
            ctx.fireChannelRead(Unpooled.wrappedBuffer(HeadWriter.LAST_CHUNK));
        }
    }

    // The response

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            while (bytes.isReadable() && response != ResponseState.DONE) {
                translate(ctx, bytes);
            }
        } finally {
            bytes.release();
        }
        ChannelFuture last = lastWrite;
        if (promise.isVoid()) {
            return;
        }
        if (last == null) {
            promise.trySuccess();
        } else {
            last.addListener(done -> {
                if (done.isSuccess()) {
                    promise.trySuccess();
                } else {
                    promise.tryFailure(done.cause());
                }
            });
        }
    }

    private void translate(ChannelHandlerContext ctx, ByteBuf bytes) {
        switch (response) {
            case HEAD -> {
                String head = until(bytes, END_OF_HEAD);
                if (head != null) {
                    startResponse(ctx, head);
                }
            }
            case LENGTH -> {
                int size = (int) Math.min(left, bytes.readableBytes());
                left -= size;
                data(ctx, bytes.readRetainedSlice(size), left == 0);
            }
            case CHUNK_SIZE -> {
                String line = until(bytes, LINE);
                if (line != null) {
                    left = Long.parseLong(line.trim(), 16);
                    response = ResponseState.CHUNK;
                    if (left == 0) {
                        data(ctx, Unpooled.EMPTY_BUFFER, true);
                    }
                }
            }
            case CHUNK -> {
                int size = (int) Math.min(left, bytes.readableBytes());
                left -= size;
                data(ctx, bytes.readRetainedSlice(size), false);
                response = left == 0 ? ResponseState.CHUNK_END : ResponseState.CHUNK;
            }
            case CHUNK_END -> {
                if (until(bytes, LINE) != null) {
                    response = ResponseState.CHUNK_SIZE;
                }
            }
            case DONE -> bytes.skipBytes(bytes.readableBytes());
        }
    }

    /** Takes what is before the end and the end; null if the end is not there yet. */
    private @Nullable String until(ByteBuf bytes, String end) {
        while (bytes.isReadable()) {
            partial.append((char) bytes.readUnsignedByte());
            int before = partial.length() - end.length();
            if (before >= 0 && partial.indexOf(end, before) >= 0) {
                String text = partial.toString();
                partial.setLength(0);
                return text;
            }
        }
        return null;
    }

    private void startResponse(ChannelHandlerContext ctx, String head) {
        String[] lines = head.split(LINE, -1);
        int status = Integer.parseInt(lines[0].substring(9, 12));
        Http2Headers headers = new DefaultHttp2Headers(false).status(Integer.toString(status));
        long length = -1;
        for (int i = 1; i < lines.length - 2; i++) { // after the last field come two ends of lines
            int colon = lines[i].indexOf(':');
            String name = lines[i].substring(0, colon).toLowerCase(Locale.ROOT);
            String value = lines[i].substring(colon + 1).trim();
            if (name.equals("content-length")) {
                length = Long.parseLong(value);
            }
            if (!OF_THE_CONNECTION.contains(name)) {
                headers.add(name, value);
            }
        }
        boolean first = status < 200; // another head comes
        boolean empty = !first && (method.equals("HEAD") || status == 204 || status == 304 || length == 0);
        if (!first) {
            left = length;
            response = length >= 0 ? ResponseState.LENGTH : ResponseState.CHUNK_SIZE;
        }
        lastWrite = ctx.write(new DefaultHttp2HeadersFrame(headers, empty));
        if (empty) {
            response = ResponseState.DONE;
        }
    }

    private void data(ChannelHandlerContext ctx, ByteBuf content, boolean end) {
        int size = content.readableBytes();
        unsentBytes += size;
        ChannelFuture write = ctx.write(new DefaultHttp2DataFrame(content, end));
        write.addListener(sent -> unsentBytes -= size);
        lastWrite = write;
        if (end) {
            response = ResponseState.DONE;
        }
    }

    // The end

    /** Closed before the response is whole, the stream is reset; after it, when all of it was sent. */
    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (closing) {
            ctx.close(promise);
            return;
        }
        closing = true;
        ChannelFuture last = lastWrite;
        if (response != ResponseState.DONE || last == null) {
            if (ctx.channel().isActive()) {
                ctx.write(new DefaultHttp2ResetFrame(Http2Error.INTERNAL_ERROR));
            }
            ctx.close(promise);
            return;
        }
        ctx.flush();
        // A client that takes nothing is waited for as long as one of HTTP/1.1.
        Future<?> late = ctx.executor().schedule(() -> ctx.close(), timeouts.clientMillis(), TimeUnit.MILLISECONDS);
        last.addListener((ChannelFutureListener) sent -> {
            late.cancel(false);
            if (!requestEnded && ctx.channel().isActive()) {
                ctx.write(new DefaultHttp2ResetFrame(
                        Http2Error.NO_ERROR)); // RFC 9113, section 8.1: the rest is not needed
            }
            ctx.close(promise);
        });
    }

    private static void reset(ChannelHandlerContext ctx, Http2Error error) {
        ctx.writeAndFlush(new DefaultHttp2ResetFrame(error)).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        OutOfMemoryGuard.check(cause);
        ctx.close();
    }
}
