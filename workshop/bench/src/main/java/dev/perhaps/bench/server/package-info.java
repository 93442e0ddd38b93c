/** The server beside redis-server, under redis-benchmark. */
@NullMarked
package dev.perhaps.bench.server;

import org.jspecify.annotations.NullMarked;
