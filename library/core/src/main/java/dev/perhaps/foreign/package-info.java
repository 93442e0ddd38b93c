/**
 * Filters in formats of other projects: Bitcoin light nodes, Guava and Redis. They hash in their own way, so they
 * cannot be converted to a filter of this library without the items; query them as they are, through
 * {@link dev.perhaps.membership.Filter}. {@code docs/foreign.md} describes the bytes.
 */
@CheckReturnValue
@NullMarked
package dev.perhaps.foreign;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
