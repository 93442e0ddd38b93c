package dev.perhaps.web.admin;

import io.netty.util.NetUtil;

/**
 * Whether a Host header names this server: with a numeric address, {@code localhost}, or the name it was opened with. The port
 * may differ, since it may be that of a tunnel.
 */
final class HostCheck {
    /*
     * A web site that a user visits can have a name of its own point to 127.0.0.1 (DNS rebinding). The user's browser then takes
     * this server for that site, and lets the site's scripts read what it replies. The Host of such a request is the site's name.
     */
    private final String name;

    HostCheck(String name) {
        this.name = name;
    }

    boolean accepts(String host) {
        int bracket = host.lastIndexOf(']');
        int colon = host.indexOf(':', Math.max(0, bracket));
        String called = colon < 0 ? host : host.substring(0, colon);
        if (called.startsWith("[")) {
            return bracket > 0 && NetUtil.isValidIpV6Address(called);
        }
        return NetUtil.isValidIpV4Address(called)
                || called.equalsIgnoreCase("localhost")
                || (called.equalsIgnoreCase(name) && !called.isEmpty());
    }
}
