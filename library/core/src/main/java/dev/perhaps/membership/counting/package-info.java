/** Internal: the counters of a counting Bloom filter, in 4 bits and in 2. */
@NullMarked
package dev.perhaps.membership.counting;

import org.jspecify.annotations.NullMarked;
