/**
 * Is it worth asking at all? A guard that measures what a filter in front of a lookup saves, and a filter that takes
 * only items that are likely to be asked for.
 */
@NullMarked
package dev.perhaps.guard;

import org.jspecify.annotations.NullMarked;
