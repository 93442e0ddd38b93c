/** Who has it? A ring of equal peers, each responsible for the keys between its predecessor and itself. */
@NullMarked
package dev.perhaps.chord;

import org.jspecify.annotations.NullMarked;
