/** Packet captures and lists of flows: how much each source sent to each destination. */
@NullMarked
package dev.perhaps.cli.input.capture;

import org.jspecify.annotations.NullMarked;
