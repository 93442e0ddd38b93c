package dev.perhaps.cli.options;

import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.cli.input.BadInput;
import java.net.InetSocketAddress;

/** An address to listen on, as an option gives it. */
public final class ListenAddress {
    private ListenAddress() {}

    /** Returns the address of {@code HOST:PORT}, and refuses a host that is not known. */
    public static InetSocketAddress of(String option, String text) {
        HostPort at = HostPort.of(text);
        InetSocketAddress socket = new InetSocketAddress(at.host(), at.port());
        if (socket.isUnresolved()) {
            throw new BadInput(option + " " + text + ": unknown host");
        }
        return socket;
    }

    /** Returns the host as it was given, with the port that was taken. */
    public static String shown(String given, InetSocketAddress bound) {
        return new HostPort(HostPort.of(given).host(), bound.getPort()).toString();
    }
}
