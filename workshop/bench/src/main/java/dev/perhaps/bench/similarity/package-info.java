/** Signatures compared with those of other libraries. */
@NullMarked
package dev.perhaps.bench.similarity;

import org.jspecify.annotations.NullMarked;
