/** Internal: building a binary fuse filter. */
@NullMarked
package dev.perhaps.membership.fuse;

import org.jspecify.annotations.NullMarked;
