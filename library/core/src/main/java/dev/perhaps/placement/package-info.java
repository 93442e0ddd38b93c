/** Who has it? Which of a changing set of nodes each key belongs to, so that few keys move when nodes come and go. */
@CheckReturnValue
@NullMarked
package dev.perhaps.placement;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
