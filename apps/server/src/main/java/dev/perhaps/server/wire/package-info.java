/** The protocol of Redis, RESP2 and RESP3, as bytes: requests are read, replies written. It sees no socket. */
@NullMarked
package dev.perhaps.server.wire;

import org.jspecify.annotations.NullMarked;
