package dev.perhaps.proxy.net;

import java.net.InetSocketAddress;

/**
 * Where a request goes.
 *
 * @param address resolved or not
 */
record Destination(InetSocketAddress address, boolean tls, int connectMillis, int answerMillis) {}
