package dev.perhaps.proxy.net;

import java.net.InetSocketAddress;

/**
 * Where a request goes.
 *
 * @param address looked up already; if that failed, a connection fails too
 */
record Destination(InetSocketAddress address, boolean tls, int connectMillis, int answerMillis) {}
