package dev.perhaps.server;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client that sees the bytes themselves. In its texts '⏎' is CR LF, and bytes that are not ASCII are \xNN. */
final class Wire implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    Wire(InetSocketAddress address) throws IOException {
        socket = new Socket(address.getAddress(), address.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(60_000);
        in = new java.io.BufferedInputStream(socket.getInputStream());
    }

    static Wire open(SketchServer server, int version) throws IOException {
        Wire wire = new Wire(server.address());
        wire.call("HELLO", Integer.toString(version));
        return wire;
    }

    static byte[] request(byte[]... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
        for (byte[] word : words) {
            out.writeBytes(("$" + word.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
            out.writeBytes(word);
            out.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        return out.toByteArray();
    }

    static byte[][] bytes(String... words) {
        byte[][] bytes = new byte[words.length][];
        for (int i = 0; i < words.length; i++) {
            bytes[i] = raw(words[i]);
        }
        return bytes;
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /** Sends a command and returns the reply as a text. */
    @CanIgnoreReturnValue
    String call(String... words) throws IOException {
        return text(callBytes(bytes(words)));
    }

    @CanIgnoreReturnValue
    byte[] callBytes(byte[]... words) throws IOException {
        send(request(words));
        return reply();
    }

    @CanIgnoreReturnValue
    String read() throws IOException {
        return text(reply());
    }

    /** The bytes of one whole reply. */
    byte[] reply() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        reply(out);
        return out.toByteArray();
    }

    private void reply(ByteArrayOutputStream out) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int before = 0;
        while (true) {
            int b = in.read();
            if (b < 0) {
                throw new EOFException("closed after " + text(out.toByteArray()) + text(line.toByteArray()));
            }
            line.write(b);
            if (before == '\r' && b == '\n') {
                break;
            }
            before = b;
        }
        out.writeBytes(line.toByteArray());
        String head = line.toString(StandardCharsets.ISO_8859_1).trim();
        switch (head.charAt(0)) {
            case '$', '=' -> {
                int length = Integer.parseInt(head.substring(1));
                if (length >= 0) {
                    out.writeBytes(in.readNBytes(length + 2));
                }
            }
            case '*', '~', '>' -> {
                for (int i = Integer.parseInt(head.substring(1)); i > 0; i--) {
                    reply(out);
                }
            }
            case '%' -> {
                for (int i = 2 * Integer.parseInt(head.substring(1)); i > 0; i--) {
                    reply(out);
                }
            }
            default -> {}
        }
    }

    /** True if the server closes the connection without a further byte. */
    boolean isClosed() throws IOException {
        try {
            return in.read() < 0;
        } catch (java.net.SocketException e) {
            return true;
        }
    }

    static String text(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\r' && i + 1 < bytes.length && bytes[i + 1] == '\n') {
                text.append('⏎');
                i++;
            } else if (bytes[i] >= 32 && bytes[i] < 127 && bytes[i] != '\\') {
                text.append((char) bytes[i]);
            } else {
                text.append(String.format("\\x%02x", bytes[i]));
            }
        }
        return text.toString();
    }

    static byte[] raw(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i++) {
            if (text.startsWith("\\x", i)) {
                out.write(Integer.parseInt(text.substring(i + 2, i + 4), 16));
                i += 3;
            } else if (text.charAt(i) == '⏎') {
                out.writeBytes(new byte[] {'\r', '\n'});
            } else {
                out.writeBytes(text.substring(i, i + 1).getBytes(StandardCharsets.UTF_8));
            }
        }
        return out.toByteArray();
    }

    /** The words of a line, separated by spaces; "..." keeps spaces, and "" is an empty word. */
    static String[] words(String line) {
        List<String> words = new ArrayList<>();
        var matcher = java.util.regex.Pattern.compile("\"([^\"]*)\"|(\\S+)").matcher(line);
        while (matcher.find()) {
            words.add(matcher.group(1) != null ? matcher.group(1) : matcher.group(2));
        }
        return words.toArray(String[]::new);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
