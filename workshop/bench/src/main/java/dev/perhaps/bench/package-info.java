/** Benchmarks against other libraries: same keys, same target error, side by side in one run. */
@NullMarked
package dev.perhaps.bench;

import org.jspecify.annotations.NullMarked;
