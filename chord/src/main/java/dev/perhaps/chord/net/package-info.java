/** Peers over TCP: frames, handshake, connections, and the thread that drives the protocol. */
@NullMarked
package dev.perhaps.chord.net;

import org.jspecify.annotations.NullMarked;
