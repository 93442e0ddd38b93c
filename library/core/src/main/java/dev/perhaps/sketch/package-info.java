/**
 * What all structures have in common: they describe themselves with their size and error, are written to files, and
 * those of the same shape can be merged.
 */
@CheckReturnValue
@NullMarked
package dev.perhaps.sketch;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
