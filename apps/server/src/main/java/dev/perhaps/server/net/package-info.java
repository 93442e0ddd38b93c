/** Sockets, over Netty: connections, their order and their limits. */
@NullMarked
package dev.perhaps.server.net;

import org.jspecify.annotations.NullMarked;
