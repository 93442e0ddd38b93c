/** Counts and top lists compared with those of other libraries. */
@NullMarked
package dev.perhaps.bench.frequency;

import org.jspecify.annotations.NullMarked;
