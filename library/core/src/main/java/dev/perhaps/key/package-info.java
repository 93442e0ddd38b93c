/** What is hashed, and how: a {@link dev.perhaps.key.Key} turns a value into one 64-bit hash. */
@NullMarked
package dev.perhaps.key;

import org.jspecify.annotations.NullMarked;
