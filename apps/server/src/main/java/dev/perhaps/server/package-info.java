/** A server that keeps filters and sketches by name and speaks the protocol of Redis. */
@NullMarked
package dev.perhaps.server;

import org.jspecify.annotations.NullMarked;
