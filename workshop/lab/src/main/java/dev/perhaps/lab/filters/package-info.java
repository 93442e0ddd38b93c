/** Experiments on filters: false positive rates, deletions, quotient filters compared with Bloom filters. */
@NullMarked
package dev.perhaps.lab.filters;

import org.jspecify.annotations.NullMarked;
