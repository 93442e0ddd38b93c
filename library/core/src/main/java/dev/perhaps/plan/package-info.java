/** Which filter to use, how big it gets, and whether a filter is worth it at all. */
@NullMarked
package dev.perhaps.plan;

import org.jspecify.annotations.NullMarked;
