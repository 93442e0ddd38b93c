package dev.perhaps.proxy.net;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A client that sends exactly the bytes it is told to, and reads responses strictly. */
final class RawClient implements Closeable {
    private static final int PATIENCE_MILLIS = 20_000;

    /** A response as it came. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Response(int status, List<String> headers, byte[] bytes) {
        String header(String name) {
            return RawClient.header(headers, name);
        }

        String body() {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
    }

    private final Socket socket = new Socket();
    private final InputStream in;
    private int chunkLeft;

    RawClient(InetSocketAddress to) throws IOException {
        this(to, "127.0.0.1");
    }

    /** From this address of loopback. */
    RawClient(InetSocketAddress to, String from) throws IOException {
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(to, PATIENCE_MILLIS);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** All fields of this name, joined; empty if there is none. */
    static String header(List<String> headers, String name) {
        String start = name.toLowerCase(Locale.ROOT) + ":";
        return headers.stream()
                .filter(header -> header.toLowerCase(Locale.ROOT).startsWith(start))
                .map(header -> header.substring(start.length()).strip())
                .reduce((a, b) -> a + ", " + b)
                .orElse("");
    }

    Socket socket() {
        return socket;
    }

    /** Sends these characters, a byte each. */
    @CanIgnoreReturnValue
    RawClient send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
        return this;
    }

    /** Sends a request with a Host and these header lines. */
    @CanIgnoreReturnValue
    RawClient request(String method, String path, String... headers) throws IOException {
        StringBuilder text = new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: example.org\r\n");
        for (String header : headers) {
            text.append(header).append("\r\n");
        }
        return send(text.append("\r\n").toString());
    }

    @CanIgnoreReturnValue
    Response get(String path, String... headers) throws IOException {
        return request("GET", path, headers).response("GET");
    }

    @CanIgnoreReturnValue
    Response response() throws IOException {
        return response("GET");
    }

    /** The response to this method. An {@link EOFException} if it breaks off. */
    @CanIgnoreReturnValue
    Response response(String method) throws IOException {
        return rest(method, head());
    }

    /** The response that begins with this head. An {@link EOFException} if it breaks off. */
    Response rest(String method, Response head) throws IOException {
        boolean bodiless = method.equals("HEAD") || head.status < 200 || head.status == 204 || head.status == 304;
        return bodiless ? head : new Response(head.status, head.headers, body(head));
    }

    @CanIgnoreReturnValue
    Response head() throws IOException {
        String status = line();
        List<String> headers = new ArrayList<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            headers.add(line);
        }
        return new Response(Integer.parseInt(status.substring(9, 12)), headers, new byte[0]);
    }

    private byte[] body(Response head) throws IOException {
        if (head.header("Transfer-Encoding").equals("chunked")) {
            java.io.ByteArrayOutputStream body = new java.io.ByteArrayOutputStream();
            for (int size = chunkSize(); size > 0; size = chunkSize()) {
                body.write(exactly(size));
                line();
            }
            line();
            return body.toByteArray();
        }
        String length = head.header("Content-Length");
        return length.isEmpty() ? in.readAllBytes() : exactly(Integer.parseInt(length));
    }

    /** So many bytes out of chunks, which may be cut anywhere. */
    @CanIgnoreReturnValue
    byte[] chunk(int size) throws IOException {
        byte[] bytes = new byte[size];
        for (int at = 0; at < size; ) {
            if (chunkLeft == 0) {
                chunkLeft = chunkSize();
            }
            byte[] part = exactly(Math.min(chunkLeft, size - at));
            System.arraycopy(part, 0, bytes, at, part.length);
            at += part.length;
            chunkLeft -= part.length;
            if (chunkLeft == 0) {
                line();
            }
        }
        return bytes;
    }

    private int chunkSize() throws IOException {
        return Integer.parseInt(line(), 16);
    }

    byte[] exactly(int size) throws IOException {
        byte[] bytes = in.readNBytes(size);
        if (bytes.length < size) {
            throw new EOFException("the body ended after " + bytes.length + " of " + size + " bytes");
        }
        return bytes;
    }

    @CanIgnoreReturnValue
    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the connection ended after '" + line + "'");
            }
            line.append((char) b);
        }
        return line.toString().strip();
    }

    /** Whether the other side has closed in order. */
    boolean ended() throws IOException {
        return in.read() < 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
