/** Packet captures and lists of flows: who sent how much to whom. */
@NullMarked
package dev.perhaps.cli.input.capture;

import org.jspecify.annotations.NullMarked;
