/** Which filter to use, how big it gets, and whether a filter is worth it at all. */
@CheckReturnValue
@NullMarked
package dev.perhaps.plan;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
