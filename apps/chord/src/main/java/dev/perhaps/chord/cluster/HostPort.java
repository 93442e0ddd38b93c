package dev.perhaps.chord.cluster;

import dev.perhaps.web.SafeText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** The address of a peer: {@code host:port}, or {@code [address]:port} for IPv6. */
public record HostPort(String host, int port) {
    /** No address of a peer is longer: many of them fit into a frame. */
    public static final int MAX_LETTERS = 100;

    private static final int MAX_PORT = 65_535;

    /** A name or a number; with colons, an IPv6 number and perhaps its zone. */
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+(%[A-Za-z0-9._-]+)?");

    /** Checks host and port. */
    public HostPort {
        if (!HOST.matcher(host).matches() || host.length() > MAX_LETTERS || port < 0 || port > MAX_PORT) {
            throw new IllegalArgumentException("an address is HOST:PORT with a port up to " + MAX_PORT + ", got '"
                    + SafeText.of(host + ":" + port) + "'");
        }
    }

    /** True for the one way in which a peer's address is written: as {@link #toString}, with a port that can be dialled. */
    public static boolean isAddress(String text) {
        try {
            HostPort at = of(text);
            return text.length() <= MAX_LETTERS && at.port > 0 && at.toString().equals(text);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Parses an address. */
    public static HostPort of(String text) {
        int colon = text.lastIndexOf(':');
        try {
            String host = text.substring(0, Math.max(0, colon));
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            return new HostPort(host, Integer.parseInt(text.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("an address is HOST:PORT, got '" + SafeText.of(text) + "'", e);
        }
    }

    /** Looks up the host, and returns where to connect. */
    public InetSocketAddress resolved() throws IOException {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new IOException("unknown host", e);
        }
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
