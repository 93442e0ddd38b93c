/** How often? Counts of values, most frequent values, counts in ranges, and numbers of distinct values. */
@NullMarked
package dev.perhaps.frequency;

import org.jspecify.annotations.NullMarked;
