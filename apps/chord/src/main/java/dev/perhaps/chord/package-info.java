/** Who has it? A ring of equal peers, each responsible for the keys between its predecessor and itself. */
@CheckReturnValue
@NullMarked
package dev.perhaps.chord;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
