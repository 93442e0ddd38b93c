package dev.perhaps.chord.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Where a peer is reached: {@code host:port}, or {@code [address]:port} for IPv6. */
public record HostPort(String host, int port) {
    private static final int MOST_PORT = 65_535;

    public HostPort {
        if (host.isEmpty() || port < 0 || port > MOST_PORT) {
            throw new IllegalArgumentException(
                    "an address is HOST:PORT with a port up to " + MOST_PORT + ", got '" + host + ":" + port + "'");
        }
    }

    public static HostPort of(String text) {
        int colon = text.lastIndexOf(':');
        try {
            String host = text.substring(0, Math.max(0, colon));
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            return new HostPort(host, Integer.parseInt(text.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("an address is HOST:PORT, got '" + text + "'", e);
        }
    }

    public InetSocketAddress resolved() throws IOException {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new IOException("no host of this name is known", e);
        }
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
