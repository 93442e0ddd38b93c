/** A peer as a process: the thread that drives the protocol, its folder, and views of the ring. */
@NullMarked
package dev.perhaps.chord.host;

import org.jspecify.annotations.NullMarked;
