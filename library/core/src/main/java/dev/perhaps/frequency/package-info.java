/** How often? Counts of values, most frequent values, counts in ranges, and numbers of distinct values. */
@CheckReturnValue
@NullMarked
package dev.perhaps.frequency;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
