/** Which structure, how big, and whether at all. */
@NullMarked
package dev.perhaps.plan;

import org.jspecify.annotations.NullMarked;
