/** Internal: the one file format of all structures (docs/format.md), written, read with care, mapped, and compared. */
@NullMarked
package dev.perhaps.frame;

import org.jspecify.annotations.NullMarked;
