/** A server that keeps filters and sketches by name and speaks the protocol of Redis. */
@CheckReturnValue
@NullMarked
package dev.perhaps.server;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
