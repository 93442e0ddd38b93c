/**
 * Filters whose bytes others fixed: Bitcoin's light nodes and Guava. They hash in their own way, so what they hold cannot be
 * turned into a filter of this library without the items; they are asked as they are, through
 * {@link dev.perhaps.membership.Filter}. The bytes are in {@code docs/foreign.md}.
 */
@NullMarked
package dev.perhaps.foreign;

import org.jspecify.annotations.NullMarked;
