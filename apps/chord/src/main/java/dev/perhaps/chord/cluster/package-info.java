/** Who belongs to a ring and where it listens: addresses, secrets and roles, refusals, and the log of commands. The front of the hidden package wire. */
@NullMarked
package dev.perhaps.chord.cluster;

import org.jspecify.annotations.NullMarked;
