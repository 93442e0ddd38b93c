/** Internal: the file format of all structures (docs/format.md): writing, checked reading, memory-mapping. */
@NullMarked
package dev.perhaps.frame;

import org.jspecify.annotations.NullMarked;
