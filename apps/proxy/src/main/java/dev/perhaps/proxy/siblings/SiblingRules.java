package dev.perhaps.proxy.siblings;

import java.net.InetSocketAddress;
import java.util.regex.Pattern;

/**
 * Who may be a sibling of a proxy, whether it was configured or found in a directory. Immutable.
 *
 * @param ownName the name of this proxy, which no sibling may have
 * @param authenticated whether siblings authenticate, with a secret or a certificate; if not, all must be on this
 *     machine
 */
public record SiblingRules(String ownName, boolean authenticated) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9._-]{0,63}");
    private static final int MAX_PORT = 65_535;

    /**
     * Returns the address of a sibling, with the host as it was given: its certificate must be valid for that.
     *
     * @throws IllegalArgumentException if this one may not be a sibling; the message says why
     */
    public InetSocketAddress check(String name, String host, int port) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "the name of a sibling has letters, digits, '.', '_' and '-', a letter first, 64 at most");
        }
        if (name.equals(ownName)) {
            throw new IllegalArgumentException("a sibling has the name of another proxy, and this one is " + ownName);
        }
        if (port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException("a port is in [1, " + MAX_PORT + "], got " + port);
        }
        InetSocketAddress at = new InetSocketAddress(host, port);
        if (at.isUnresolved()) {
            throw new IllegalArgumentException("unknown host");
        }
        if (at.getAddress().isAnyLocalAddress()) {
            throw new IllegalArgumentException("not the address of one machine: give --advertise there");
        }
        if (!authenticated && !at.getAddress().isLoopbackAddress()) {
            throw new IllegalArgumentException("it is not on this machine: give --secret-file or --sibling-ca");
        }
        return at;
    }
}
