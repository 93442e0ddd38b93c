/**
 * How alike? Signatures of sets, vectors and texts whose share of equal components estimates their similarity, with its
 * error.
 */
@CheckReturnValue
@NullMarked
package dev.perhaps.similarity;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
