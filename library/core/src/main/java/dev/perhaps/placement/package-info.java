/** Who has it? Which of a changing set of nodes each key belongs to, so that few keys move when nodes come and go. */
@NullMarked
package dev.perhaps.placement;

import org.jspecify.annotations.NullMarked;
