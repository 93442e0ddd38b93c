/** A peer as a process: the thread that drives the protocol, its folder, and views of the ring. */
@CheckReturnValue
@NullMarked
package dev.perhaps.chord.host;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
