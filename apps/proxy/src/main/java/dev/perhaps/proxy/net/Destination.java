package dev.perhaps.proxy.net;

import java.net.InetSocketAddress;

/**
 * Where a request goes.
 *
 * @param address looked up already; if that failed, a connection fails too
 * @param connectMillis how long to wait for a connection
 * @param responseMillis for the head of the response
 * @param bodyMillis for the next bytes of its body
 */
record Destination(InetSocketAddress address, boolean tls, int connectMillis, int responseMillis, int bodyMillis) {}
