/** Thirty peers as processes: lookups, puts, gets, repair. */
@NullMarked
package dev.perhaps.bench.ring;

import org.jspecify.annotations.NullMarked;
