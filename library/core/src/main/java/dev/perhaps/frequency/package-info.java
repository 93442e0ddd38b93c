/** How often? And how many different ones? */
@NullMarked
package dev.perhaps.frequency;

import org.jspecify.annotations.NullMarked;
