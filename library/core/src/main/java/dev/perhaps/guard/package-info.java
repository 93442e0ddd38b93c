/**
 * Is it worth asking at all? A guard that measures what a filter in front of a lookup saves, and a filter that takes
 * only items that are likely to be asked for.
 */
@CheckReturnValue
@NullMarked
package dev.perhaps.guard;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
