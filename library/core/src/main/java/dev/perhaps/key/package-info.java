/** What is hashed, and how: a {@link dev.perhaps.key.Key} turns a value into one 64-bit hash. */
@CheckReturnValue
@NullMarked
package dev.perhaps.key;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
