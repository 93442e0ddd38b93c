/**
 * Probabilistic data structures: results about data that is too big to keep, with a known error. {@link
 * dev.perhaps.Perhaps} opens files of every kind.
 */
@NullMarked
package dev.perhaps;

import org.jspecify.annotations.NullMarked;
