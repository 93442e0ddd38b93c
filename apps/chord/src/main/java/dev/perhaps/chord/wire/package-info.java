/** Hidden: frames between peers over TCP (docs/chord-wire.md): handshake, connections, limits on strangers, requests and their deadlines. */
@NullMarked
package dev.perhaps.chord.wire;

import org.jspecify.annotations.NullMarked;
