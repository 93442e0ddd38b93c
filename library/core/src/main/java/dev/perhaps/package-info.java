/**
 * Probabilistic data structures: results about data that is too big to keep, with a known error. {@link
 * dev.perhaps.Perhaps} opens files of every kind.
 */
@CheckReturnValue
@NullMarked
package dev.perhaps;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
