/** Filters compared with those of other libraries. */
@NullMarked
package dev.perhaps.bench.membership;

import org.jspecify.annotations.NullMarked;
