/** Decompresses what commands read: all members or frames in sequence, and nothing is left out silently. */
@NullMarked
package dev.perhaps.cli.input.compressed;

import org.jspecify.annotations.NullMarked;
