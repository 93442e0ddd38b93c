/** Who belongs to a ring and where it listens: addresses, secrets and roles, refusals, and the log of commands. The front of the hidden package wire. */
@CheckReturnValue
@NullMarked
package dev.perhaps.chord.cluster;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
